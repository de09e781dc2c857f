"""The command `popir`: one file for each of its commands in `popir/cli/commands/`."""
