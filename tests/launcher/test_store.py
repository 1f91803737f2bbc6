"""The store at the endpoint, spoken to over real sockets."""

import json
import socket
import threading

import link
import pytest
import store

from launcher.network import free_port


@pytest.fixture
def served():
    """A store that answers each message with itself; its port."""
    port, over = free_port(), threading.Event()
    serving = store.Store(store.listening("127.0.0.1", port))

    def serve():
        while not over.is_set():
            serving.serve(0.02, lambda message: json.dumps(message).encode())

    thread = threading.Thread(target=serve)
    thread.start()
    yield port
    over.set()
    thread.join()


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=5)


def ask(connection, message):
    connection.sendall(json.dumps(message).encode() + b"\n")
    return json.loads(connection.makefile().readline())


def test_a_message_is_answered(served):
    assert ask(connect(served), {"a": 1}) == {"a": 1}


def test_a_connection_serves_many_messages(served):
    connection = connect(served)
    assert [ask(connection, n) for n in range(3)] == [0, 1, 2]


def test_a_message_in_pieces_is_answered_when_it_is_whole(served):
    connection = connect(served)
    connection.sendall(b'{"a"')
    assert ask(connect(served), 1) == 1  # the others are not held up
    connection.sendall(b": 1}\n")
    assert connection.makefile().readline() == '{"a": 1}\n'


@pytest.mark.parametrize("line", [b"GET / HTTP/1.1\r\n", b"[" * 5000 + b"\n"], ids=["HTTP", "depth"])
def test_a_stranger_is_cut_off(served, line):
    connection = connect(served)
    connection.sendall(line)
    assert connection.recv(100) == b""
    assert ask(connect(served), 1) == 1


def test_a_line_without_an_end_is_cut_off(served):
    connection = connect(served)
    with pytest.raises(OSError):
        for _ in range(100):
            connection.sendall(b"x" * 65536)
            connection.settimeout(0.05)
            try:
                if connection.recv(1) == b"":
                    raise ConnectionResetError
            except TimeoutError:
                connection.settimeout(5)


def test_a_client_that_reads_nothing_holds_nobody_up(served):
    deaf = connect(served)
    deaf.settimeout(0.2)
    try:
        for _ in range(200):
            deaf.sendall(json.dumps("x" * 50000).encode() + b"\n")
    except OSError:
        pass  # cut off, or its pipe is full
    assert ask(connect(served), 1) == 1


def test_the_store_of_a_local_run_listens_on_loopback_alone():
    with store.listening("127.0.0.1", free_port()) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_a_taken_port_is_an_error(served):
    with pytest.raises(OSError, match="in use"):
        store.listening("127.0.0.1", served)


def test_a_name_that_does_not_resolve_is_said():
    with pytest.raises(ConnectionError, match=r"the name no\.such\.host\.invalid does not resolve"):
        link.reached("no.such.host.invalid", 1)


def test_a_refused_connection_is_said():
    port = free_port()
    with pytest.raises(ConnectionError, match=f"nobody listens yet at 127.0.0.1:{port} = 127.0.0.1"):
        link.reached("127.0.0.1", port)


def test_a_large_job_asks_less_often():
    assert (link.poll_seconds(3), link.poll_seconds(512)) == (0.2, 0.512)
