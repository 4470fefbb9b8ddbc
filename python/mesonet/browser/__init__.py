"""The simulator in a browser: the built WebAssembly module, and the scripts that run it in a worker.

May import the ground. `module.carriers` returns what a page must hold, `module.CLIENT` the script that starts the
worker. ``make wasm`` builds the module into the folder ``built``.
"""
