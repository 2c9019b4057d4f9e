"""``python -m citemeter.cli``."""

from citemeter.cli import main

main()
