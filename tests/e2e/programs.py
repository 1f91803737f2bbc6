"""The scripts that the pods run: standard library only, they meet at MASTER_ADDR as torch would."""

MEET = '''\
import json, os, pathlib, socket, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
where = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])


def meet():
    """The sum of all ranks, as rank 0 adds it up and tells everybody."""
    if rank == 0:
        with socket.create_server(("", where[1])) as server:
            peers = [server.accept()[0] for _ in range(world - 1)]
            total = sum(int(peer.recv(16)) for peer in peers)
            for peer in peers:
                peer.sendall(str(total).encode())
            return total
    while True:
        try:
            with socket.create_connection(where, timeout=5) as peer:
                peer.sendall(str(rank).encode())
                return int(peer.recv(16))
        except ConnectionRefusedError:
            time.sleep(0.05)


def tell(**more):
    """Says it in the log, and in a file that is there at once and whole."""
    text = json.dumps({"rank": rank, "world": world, "master": where[0], **more})
    print(text)
    part = output / f"rank-{rank}.part"
    part.write_text(text)
    part.rename(output / f"rank-{rank}.json")


output = pathlib.Path(os.environ["RALLYPOINT_OUTPUT_DIR"])
total = meet()
'''

HOLD = """\
before = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
tell(total=total, round=before, node=os.environ["RALLYPOINT_NODE_INDEX"])
while not (output / "go").exists():
    time.sleep(0.05)
"""
"""Ends once the test puts a file `go` into the output."""

LISTEN = """\
own = socket.create_server(("", 0))
"""
"""Opens a port in every pod, as the collective libraries do."""

STAYS = """\
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
tell(word="old")
time.sleep(600)
"""
"""Ends when it is killed, at the end of the grace period."""

WRONG = """\
tell()
import sys
if rank == 1:
    sys.exit(2)
time.sleep(600)
"""
"""Rank 1 finds its input wrong; the others would go on for long."""

VERBATIM = """\
import sys
given = {name: os.environ[name] for name in os.environ if name.startswith("AWKWARD")}
tell(arguments=sys.argv[1:], given=given)
"""
