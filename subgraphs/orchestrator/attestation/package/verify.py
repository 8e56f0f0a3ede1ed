"""Checks digests, log entries and inclusion proofs by Python's standard library alone. Signatures: verify.sh."""
import base64, hashlib, json, pathlib, sys

def must(holds, what):
    if not holds: sys.exit(f"REFUSED: {what}")
def b64(text): return base64.b64decode(text, validate=True)
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()

def root(index, size, node, path):  # RFC 9162, 2.1.3.2
    last = size - 1
    for sibling in path:
        must(last > 0, "the proof is too long")
        if index & 1 or index == last:
            node = sha(b"\x01", sibling, node)
            while index and not index & 1: index, last = index >> 1, last >> 1
        else: node = sha(b"\x01", node, sibling)
        index, last = index >> 1, last >> 1
    must(last == 0, "the proof is too short")
    return node

def check(folder):
    bundle = json.loads((folder / "bundle.json").read_bytes())
    envelope, entry = bundle["dsseEnvelope"], bundle["verificationMaterial"]["tlogEntries"][0]
    payload, kind = b64(envelope["payload"]), envelope["payloadType"].encode()
    must(payload == (folder / "statement.json").read_bytes(), f"{folder.name}: statement.json is not what was signed")
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    body, proof = b64(entry["canonicalizedBody"]), entry["inclusionProof"]
    said = json.loads(body)["spec"]["hashedRekordV002"]
    must(b64(said["data"]["digest"]) == sha(signed), f"{folder.name}: the log entry is of another statement")
    must(said["signature"]["content"] == envelope["signatures"][0]["sig"], f"{folder.name}: another signature is logged")
    found = root(int(proof["logIndex"]), int(proof["treeSize"]), sha(b"\x00", body), map(b64, proof["hashes"]))
    _, size, top = proof["checkpoint"]["envelope"].split("\n")[:3]
    must((size, b64(top)) == (proof["treeSize"], found), f"{folder.name}: the entry is not in the tree of the checkpoint")

home = pathlib.Path(__file__).resolve().parent
for line in (home / "MANIFEST.sha256").read_text().splitlines():
    must(hashlib.sha256((home / line[66:]).read_bytes()).hexdigest() == line[:64], f"{line[66:]} was changed")
for entry in sorted(home.glob("*/entry.json")): check(entry.parent)
print("OK: every file, log entry and inclusion proof")
