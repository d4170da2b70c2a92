"""Files are the old ones or the new ones, at any moment."""

import os
import resource
import signal
import subprocess
import sys
import time

import pytest
from campaign import one_in
from rankspec.conformance.cases.files.on_disk import write_whole

WRITER = """
import sys
from pathlib import Path
from rankspec.conformance.cases.files.on_disk import write_whole
while True:
    for letter in "ab":
        write_whole(Path(sys.argv[1]), letter * 3_000_000)
        print(flush=True)
"""


@one_in(2)
@pytest.mark.parametrize("milliseconds", [0, 1, 3, 7, 15])
def test_who_is_killed_leaves_a_whole_file(tmp_path, milliseconds):
    path = tmp_path / "file"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        time.sleep(milliseconds / 1000)
        writer.send_signal(signal.SIGKILL)
    content = path.read_text(encoding="utf-8")
    assert len(content) == 3_000_000
    assert len(set(content)) == 1


def test_mode_and_link_stay(tmp_path):
    (tmp_path / "file").write_text("old", encoding="utf-8")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "link"]


def test_a_link_to_no_file_yet_stays(tmp_path):
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text(encoding="utf-8") == "new"


def test_a_link_to_itself_is_refused_and_stays(tmp_path):
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()


def test_a_new_file_has_the_mode_of_any_other(tmp_path):
    (tmp_path / "other").write_text("", encoding="utf-8")
    write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_is_no_file_is_written_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:  # noqa: S607
        write_whole(tmp_path / "pipe", "new")
        assert reader.stdout.read() == b"new"


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as refused:
            write_whole(path, "n" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert refused.value.filename == str(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
