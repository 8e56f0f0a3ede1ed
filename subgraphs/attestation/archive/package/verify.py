"""python3 verify.py [TRUST.json]: all that verify.sh checks but the signatures, by Python's standard library alone."""
import base64, collections, hashlib, json, pathlib, sys
def must(holds, what): holds or sys.exit(f"REFUSED: {what}")
def b64(text): return base64.b64decode(text, validate=True)
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def root(index, last, node, path):  # RFC 9162, 2.1.3.2
    for sibling in path:
        must(last > 0, "an inclusion proof is too long")
        if index & 1 or index == last:
            node = sha(b"\x01", sibling, node)
            while index and not index & 1: index, last = index >> 1, last >> 1
        else: node = sha(b"\x01", node, sibling)
        index, last = index >> 1, last >> 1
    must(last == 0, "an inclusion proof is too short")
    return node
def check(at, trust):
    bundle = json.loads((at / "bundle.json").read_bytes())
    envelope, [entry] = bundle["dsseEnvelope"], bundle["verificationMaterial"]["tlogEntries"]
    payload, kind, sig = b64(envelope["payload"]), envelope["payloadType"].encode(), envelope["signatures"][0]["sig"]
    body, proof, pae = b64(entry["canonicalizedBody"]), entry["inclusionProof"], b"DSSEv1 %d %s %d " % (len(kind), kind, len(payload))
    text, lines = (note := proof["checkpoint"]["envelope"]).split("\n\n")
    files = {"statement.json": payload, "pae.bin": pae + payload, "signature.der": b64(sig), "entry.json": body, "checkpoint.note": note.encode(),
        "checkpoint.txt": f"{text}\n".encode(), "checkpoint.sig": b64(lines.split()[2])[4:], **{f"proof/{n:02}.bin": b64(one) for n, one in enumerate(proof["hashes"])}, "envelope.json": json.dumps(envelope, sort_keys=True, separators=(",", ":")).encode()}
    for name, value in files.items(): must((at / name).read_bytes() == value, f"{at.name}: {name} is not as in bundle.json")
    key, log = ("".join((at / name).read_text().splitlines()[1:-1]) for name in ("key.pem", "log-key.pem"))
    must(sha(b64(key)).hex() in trust and f'"{log}"' in trust, f"{at.name}: its keys are not in the trust document")
    data, said = map(json.loads(body)["spec"]["hashedRekordV002"].get, ("data", "signature"))
    must((b64(data["digest"]), said["content"], said["verifier"]["publicKey"]["rawBytes"]) == (sha(pae, payload), sig, key), f"{at.name}: the log entry is of something else")
    found = root(int(proof["logIndex"]), int(proof["treeSize"]) - 1, sha(b"\x00", body), map(b64, proof["hashes"]))
    must(text.split("\n")[1:3] == [proof["treeSize"], base64.b64encode(found).decode()], f"{at.name}: the entry is not in the tree of the checkpoint")
    return "/".join(json.loads(payload)["predicateType"].split("/")[3:])
try:
    home = pathlib.Path(__file__).resolve().parent
    for line in (home / "MANIFEST.sha256").read_text().splitlines(): must(sha((home / line[66:]).read_bytes()).hex() == line[:64], f"{line[66:]} was changed")
    trust, own, platform = (json.loads(pathlib.Path(path).read_bytes()) for path in ((*sys.argv[1:2], home / "trust.json")[0], home / "trust.json", home / "trusted_root.json"))
    must(own["trustedRoot"] == platform, "trusted_root.json is not as in trust.json")
    kinds = collections.Counter(check(one.parent, json.dumps(trust)) for one in sorted(home.glob("*/statement.json")))
    must(kinds, f"{home.name} has no statement of the platform: there is nothing to check")
    print(f"OK: {home.name}: {sum(kinds.values())} statements (" + ", ".join(f"{n} {kind}" for kind, n in kinds.items()) + "): every file, log entry and inclusion proof; signatures NOT checked")
except Exception as error: must(False, f"it cannot be read as it is ({type(error).__name__}: {error})")
