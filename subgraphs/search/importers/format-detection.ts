import { readCsaf } from './csaf.ts';
import { readCycloneDx } from './cyclonedx.ts';
import { readGatekeeper } from './gatekeeper.ts';
import { readKev } from './kev.ts';
import { readKyverno } from './kyverno.ts';
import { isMarkdownAdvisory } from './markdown-advisory.ts';
import { isNodeAdvisory, readNodeAdvisory } from './node-advisory.ts';
import { readOpenVex } from './openvex.ts';
import { readOsv } from './osv.ts';
import type { Format, Reader } from './reader.ts';
import { readSpdx } from './spdx.ts';
import { type Fields, fields, objects, textOf } from './values.ts';

export const READERS: Readonly<Record<Exclude<Format, 'rego' | 'rustsec'>, Reader>> = {
  osv: readOsv,
  openvex: readOpenVex,
  csaf: readCsaf,
  kev: readKev,
  cyclonedx: readCycloneDx,
  spdx: readSpdx,
  kyverno: readKyverno,
  gatekeeper: readGatekeeper,
  nodejs: readNodeAdvisory,
};

const KYVERNO_KINDS =
  /^(?:Cluster)?Policy$|^(?:Namespaced)?(?:Validating|Mutating|Generating|Deleting|ImageValidating)Policy$/;

const isOsv = (record: Fields): boolean =>
  [record.id, record.affected, record.modified, record.schema_version].filter((member) => member !== undefined).length >
  1;

const formatOfManifest = (record: Fields): Format | undefined => {
  const [version, kind] = [textOf(record.apiVersion) ?? '', textOf(record.kind) ?? ''];
  if (/^(?:policies\.)?kyverno\.io\//.test(version)) return KYVERNO_KINDS.test(kind) ? 'kyverno' : undefined;
  if (version.startsWith('templates.gatekeeper.sh/')) return kind === 'ConstraintTemplate' ? 'gatekeeper' : undefined;
  return version.startsWith('constraints.gatekeeper.sh/') ? 'gatekeeper' : undefined;
};

export const formatOf = (record: Fields): Format | undefined => {
  if (record.bomFormat === 'CycloneDX') return 'cyclonedx';
  if (textOf(record.spdxVersion) !== undefined) return 'spdx';
  if (fields(record.document).csaf_version !== undefined) return 'csaf';
  if (JSON.stringify(record['@context'] ?? '').includes('openvex')) return 'openvex';
  if (record.catalogVersion !== undefined || textOf(objects(record.vulnerabilities)[0]?.cveID) !== undefined)
    return 'kev';
  if (isOsv(record)) return 'osv';
  return isNodeAdvisory(record) ? 'nodejs' : formatOfManifest(record);
};

export type Syntax = 'json' | 'yaml' | 'csv' | 'tags' | 'rego' | 'markdown';

/** Detects the syntax from the beginning of a text, then from the file name. */
export const syntaxOf = (head: string, path: string, format: Format | undefined): Syntax | undefined => {
  const begin = head.trimStart();
  if (begin.startsWith('{') || begin.startsWith('[')) return 'json';
  if (format === 'rustsec' || isMarkdownAdvisory(head)) return 'markdown';
  if (path.endsWith('.md')) return undefined;
  if (format === 'spdx' || /^SPDXVersion:/m.test(head)) return 'tags';
  if (format === 'kev' || /^"?(?:[\w"]+,)*"?cveID"?(?:,|$)/m.test(begin.split('\n')[0]?.trim() ?? '')) return 'csv';
  if (format === 'rego' || path.endsWith('.rego')) return 'rego';
  if (format !== undefined) return format === 'kyverno' || format === 'gatekeeper' ? 'yaml' : 'json';
  if (/\.ya?ml$/.test(path) || /^(?:apiVersion|kind):/m.test(head)) return 'yaml';
  if (/\.(?:json|jsonl|ndjson)$/.test(path)) return 'json';
  return /^package\s+[\w.]+\s*$/m.test(head) ? 'rego' : undefined;
};
