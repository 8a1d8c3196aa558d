"""`python -m loci_client` is `loci`."""

import sys

from loci_client.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
