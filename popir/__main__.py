"""`python -m popir` is the command `popir`."""

from popir.cli.main import main

if __name__ == "__main__":
    main()
