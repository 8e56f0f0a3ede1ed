"""python3 verify.py [TRUST.json]: the files and the root of the manifest. It checks no signature, so that it never ends in OK."""
import base64, hashlib, json, pathlib, sys
def must(holds, what): holds or sys.exit(f"REFUSED: {what}")
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def jcs(value): return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
def file_sha(path):
    with open(path, "rb") as file: return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else sha(file.read()).hex()
def root(hashes):  # RFC 9162, 2.1.1
    if len(hashes) < 2: return hashes[0] if hashes else sha()
    half = 1 << (len(hashes) - 1).bit_length() - 1
    return sha(b"\x01", root(hashes[:half]), root(hashes[half:]))
try:
    home = pathlib.Path(__file__).resolve().parent
    own = ["manifest.dsse.json", "manifest.json", "manifest.tsr"]
    must((home / "SHA256SUMS").read_bytes() == "".join(f"{file_sha(home / one)}  {one}\n" for one in own).encode(), "SHA256SUMS is not that of the manifest, its envelope and its timestamp")
    text, signed, token = ((home / one).read_bytes() for one in ("manifest.json", "manifest.dsse.json", "manifest.tsr"))
    manifest, envelope = json.loads(text), json.loads(signed)
    must(jcs(manifest) == text and jcs(envelope) == signed, "manifest.json or manifest.dsse.json is not canonical JSON")
    must(base64.b64decode(envelope["payload"], validate=True) == text, "manifest.dsse.json is of another manifest")
    must(envelope["payloadType"] == "application/vnd.svc.evidence-export-manifest+json", "manifest.dsse.json is of another type")
    entries, missing = manifest["entries"], manifest["missing"]
    paths = [entry["path"] for entry in entries]
    must(paths == sorted(set(paths)) and len(paths) == manifest["entryCount"], "the entries of manifest.json are not sorted, each once")
    must(manifest["rootHash"] == "sha256:" + root([sha(b"\x00evidence-export-entry/v1\n", jcs(entry)) for entry in entries]).hex(), "the entries of manifest.json do not lead to its root")
    must(not any(path.is_symlink() or path.is_dir() and not any(path.iterdir()) for path in home.rglob("*")), "there is a link or an empty directory, which no export has")
    there = {str(path.relative_to(home).as_posix()) for path in home.rglob("*") if not path.is_dir()}
    must(there == {*paths, *own, "SHA256SUMS"}, f"these files are not as manifest.json has them: {sorted(there ^ {*paths, *own, 'SHA256SUMS'})[:3]}")
    for entry in entries:
        path = home / entry["path"]
        must(path.stat().st_size == entry["size"] and file_sha(path) == entry["sha256"], f"{entry['path']} was changed")
    trust = json.loads(pathlib.Path((*sys.argv[1:2], home / "trust-root.json")[0]).read_bytes())
    keys = {key["hint"]: key for key in trust.get("trust", trust)["keys"]}
    [signature] = envelope["signatures"]
    must(sha(base64.b64decode(keys.get(signature["keyid"], {"rawBytes": ""})["rawBytes"])).hex() == signature["keyid"], "the key that signed is not in the trust document")
    must(sha(signed) in token, "manifest.tsr is not of manifest.dsse.json")
    for one in missing: print(f"MISSING  {one['artifactId']}  {one['reason']}, sha256 {one['sha256']}")
    print(f"WHOLE: bundle {manifest['bundleId']}: {len(entries)} files of {manifest['createdAt']}, {len(missing)} artifacts missing; signature and timestamp NOT checked, so that anybody may have made it: run verify.sh", file=sys.stderr)
    sys.exit(2)
except Exception as error: must(False, f"it cannot be read as it is ({type(error).__name__}: {error})")
