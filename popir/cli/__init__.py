"""The command line tool `popir`; each of its commands is a file in `popir/cli/commands/`."""
