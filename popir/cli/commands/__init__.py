"""The commands: each module here is one, by its name, and holds it as `command`."""
