"""The commands. Each module is one command of its name, with the function `command`."""
