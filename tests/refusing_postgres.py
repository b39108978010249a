# SPDX-License-Identifier: Apache-2.0
"""`python -m tests.refusing_postgres CODE`: a PostgreSQL server that refuses each login with CODE.

It is a program, since libpq's ping stops all threads of its own. It prints its port and runs until
it is killed.
"""

import struct
import sys
from socketserver import StreamRequestHandler, TCPServer

_ENCRYPT = b"\x04\xd2"
"""Beginning of a request for encryption."""


class _Refusing(StreamRequestHandler):
    def handle(self) -> None:
        while length := self.rfile.read(4):
            asked = self.rfile.read(struct.unpack("!i", length)[0] - 4)
            if asked.startswith(_ENCRYPT):
                self.wfile.write(b"N")
            else:
                fields = b"\0".join((b"SFATAL", f"C{sys.argv[1]}".encode(), b"Mno", b"", b""))
                self.wfile.write(b"E" + struct.pack("!i", len(fields) + 4) + fields)
                return


if __name__ == "__main__":
    with TCPServer(("127.0.0.1", 0), _Refusing) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()
