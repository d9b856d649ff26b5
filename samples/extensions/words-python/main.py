"""Counts words. Plain Python, without the kit: everything an extension needs is in this file."""
import json
import os
import sys

# Descriptors 3 and 4 when PIGLET_FD says that they exist, else standard input and output.
if os.environ.pop("PIGLET_FD", "") == "1":
    descriptors = (3, 4)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
else:
    descriptors = (0, 1)
    sys.stdout = sys.stderr  # printed text must not become a message
incoming = open(descriptors[0], encoding="utf-8", errors="replace")
outgoing = open(descriptors[1], "w", encoding="utf-8")


def send(**message):
    outgoing.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    outgoing.flush()


def tell(method, **params):
    send(method=method, params=params)


class Unknown(Exception):
    """An unknown tool, command or method."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


state = {"cwd": "", "turns": 0}


def initialize(params):
    state["cwd"] = params["cwd"]
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "path": {"type": "string"}}}
    tell("register/tool", name="count_words", description="Counts the words of a text, or of a file.", parameters=schema, backgroundSafe=True)
    tell("register/command", name="turns", description="Shows the number of turns")
    tell("register/eventHandler", name="turns", events=["EventTurnEnd"])
    return {"name": "words", "version": "1.0.0"}


def execute_tool(params):
    if params["name"] != "count_words":
        raise Unknown(-32602, "unknown tool: " + params["name"])
    args = params.get("args") or {}
    try:
        text = args["text"] if "text" in args else open(os.path.join(state["cwd"], args["path"]), encoding="utf-8").read()
    except KeyError:
        return failure("INVALID_ARGS", "neither text nor path", "Give one of them.")
    except FileNotFoundError:
        return failure("FILE_NOT_FOUND", "no file " + args["path"], "Use ls to list the files.")
    return {"content": [{"type": "text", "text": "%d words" % len(text.split())}]}


def failure(code, text, hint):
    return {"content": [{"type": "text", "text": text}], "isError": True, "errorCode": code, "errorHint": hint}


def execute_command(params):
    if params["name"] != "turns":
        raise Unknown(-32602, "unknown command: " + params["name"])
    tell("notify", message="%d turns" % state["turns"])
    return {}


def dispatch_event(params):
    state["turns"] += 1
    return {"action": {"type": "setStatus", "payload": {"key": "turns", "text": "%d turns" % state["turns"]}}}


answers = {
    "initialize": initialize,
    "tool/execute": execute_tool,
    "command/execute": execute_command,
    "event/dispatch": dispatch_event,
    "shutdown": lambda params: None,
}

for line in incoming:
    try:
        message = json.loads(line)
    except ValueError:
        continue
    if not isinstance(message, dict):
        continue
    method, request = message.get("method"), message.get("id")
    if not method or not isinstance(request, int):
        if method == "shutdown":
            break
        continue  # answers and other notices are ignored
    try:
        if method not in answers:
            raise Unknown(-32601, "method not found: " + method)
        send(id=request, result=answers[method](message.get("params") or {}))
    except Unknown as error:
        send(id=request, error={"code": error.code, "message": str(error)})
    except Exception as error:  # the host gets an answer in any case
        send(id=request, error={"code": -32603, "message": "%s: %s" % (type(error).__name__, error)})
    if method == "shutdown":
        break
