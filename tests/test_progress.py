"""The progress bar: drawn on a terminal, silent where nobody looks."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

CODE = (
    "from memory_evidence.progress import progress_bar\n"
    "with progress_bar('linking') as bar:\n"
    "    for done in range(1, 4): bar(done, 3)\n"
)


def test_nothing_is_drawn_where_stderr_is_no_terminal():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""


def test_a_bar_is_drawn_on_a_terminal():
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))  # a new terminal has no size
    try:
        subprocess.run([sys.executable, "-c", CODE], stderr=theirs, stdout=subprocess.PIPE, check=True)
        os.set_blocking(ours, False)
        drawn = os.read(ours, 100_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert "linking" in drawn
    assert "/3" in drawn
