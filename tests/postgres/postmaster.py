"""The processes of a cluster: the first one, which works in its folder, and the others below."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil

_PAUSE = 0.005
_PATIENCE = 30.0


class Postmaster:
    """Finds the processes of the cluster whose data is in a folder, and signals to them."""

    def __init__(self, data: Path) -> None:
        self.data = data

    @property
    def pid(self) -> int | None:
        """Return the id of the first process, if the cluster runs."""
        try:
            pid = int((self.data / "postmaster.pid").read_text().split("\n")[0])
            lives = Path(psutil.Process(pid).cwd()).samefile(self.data)
        except (OSError, ValueError, psutil.Error):
            return None
        return pid if lives else None

    def freeze(self) -> None:
        """Let none of the processes go on."""
        self._signal(signal.SIGSTOP)
        self._signal(signal.SIGSTOP)  # those that were being started the first time

    def thaw(self) -> None:
        """Let all the processes go on."""
        self._signal(signal.SIGCONT)

    def stop(self, number: signal.Signals) -> None:
        """End the cluster by a signal to its first process, frozen or not, and wait for its end."""
        self.thaw()
        if (pid := self.pid) is None:
            return
        os.kill(pid, number)
        end = time.monotonic() + _PATIENCE
        while self.pid is not None:
            if time.monotonic() > end:
                raise TimeoutError(f"the cluster in {self.data} didn't stop in {_PATIENCE:g} s")
            time.sleep(_PAUSE)

    def _signal(self, number: signal.Signals) -> None:
        if (pid := self.pid) is None:
            return
        first = psutil.Process(pid)
        for process in (first, *first.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
