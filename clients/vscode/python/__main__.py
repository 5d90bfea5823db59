"""The way into the server that comes with the extension.

It is run as ``python -I FOLDER``: the folder is then first on the path, with the server and all of its
libraries in it, and nothing that belongs to a user, an environment variable or a workspace is there.
"""

import sys

from synapse_ls.__main__ import main

sys.exit(main())
