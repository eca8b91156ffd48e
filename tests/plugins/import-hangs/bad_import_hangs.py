"""Never ends importing."""

import threading

threading.Event().wait()
