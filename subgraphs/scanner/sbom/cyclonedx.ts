import type { NewComponent } from './component.ts';
import { ComponentGraph, hashOf } from './component-graph.ts';
import { type CycloneDxListener, cycloneDxMembers } from './cyclonedx-shape.ts';
import { recordsOf, type SbomRecord, type Shape, textOf, textsOf } from './record-shape.ts';
import type { Sbom, SbomComponent, SbomLimits, SbomSubject } from './sbom.ts';
import { SbomError } from './sbom-error.ts';

const VERSION = /^1\.[0-7]$/;
const SCOPES = ['required', 'optional', 'excluded'] as const;

const hashesOf = (component: SbomRecord): readonly string[] =>
  recordsOf(component, 'hashes').map((hash) => hashOf(textOf(hash, 'alg') ?? '', textOf(hash, 'content') ?? ''));

const scopeOf = (component: SbomRecord): SbomComponent['scope'] =>
  SCOPES.find((scope) => scope === component.scope) ?? null;

const componentOf = (record: SbomRecord): NewComponent => {
  const [ref, purl] = [textOf(record, 'bom-ref'), textOf(record, 'purl')];
  return {
    // Generators like to use the package URL as ref: one text serves both.
    ref: ref === purl ? purl : ref,
    group: textOf(record, 'group'),
    name: textOf(record, 'name') ?? '',
    version: textOf(record, 'version'),
    purl,
    type: textOf(record, 'type'),
    scope: scopeOf(record),
    hashes: hashesOf(record),
  };
};

/** Reads the records of one CycloneDX document. */
export class CycloneDxReader implements CycloneDxListener {
  readonly members: Readonly<Record<string, Shape>>;
  readonly #graph: ComponentGraph;
  readonly #encoding: 'json' | 'xml';
  // Refs of the nested components, a list for each component that is open.
  readonly #nested: string[][] = [];
  #subject: SbomSubject | null = null;
  #root: string | null = null;

  constructor(limits: SbomLimits, encoding: 'json' | 'xml') {
    this.#graph = new ComponentGraph(limits);
    this.#encoding = encoding;
    this.members = cycloneDxMembers(this, encoding);
  }

  beginComponent(): void {
    this.#nested.push([]);
  }

  endComponent(record: SbomRecord): void {
    const nested = this.#nested.pop() ?? [];
    const ref = this.#graph.add(componentOf(record));
    for (const part of nested) this.#graph.relate(ref, part);
    this.#nested.at(-1)?.push(ref);
  }

  endSubject(record: SbomRecord): void {
    const nested = this.#nested.pop() ?? [];
    const { ref, name, version, purl, hashes } = componentOf(record);
    this.#subject = { name, version, purl, digests: hashes };
    this.#root = ref ?? purl ?? '#subject';
    for (const part of nested) this.#graph.relate(this.#root, part);
  }

  dependency(record: SbomRecord): void {
    const ref = textOf(record, 'ref') ?? '';
    for (const target of textsOf(record, 'dependsOn')) this.#graph.relate(ref, target);
    for (const target of recordsOf(record, 'dependency')) this.#graph.relate(ref, textOf(target, 'ref') ?? '');
  }

  /** Contents of the document, whose root is given. Throws unsupported_version. */
  result(root: SbomRecord): Sbom {
    const specVersion = textOf(root, 'specVersion') ?? '';
    if (!VERSION.test(specVersion))
      throw new SbomError('unsupported_version', `CycloneDX ${specVersion || 'without specVersion'} is not read`);
    return {
      format: 'cyclonedx',
      specVersion,
      encoding: this.#encoding,
      serialNumber: textOf(root, 'serialNumber'),
      subject: this.#subject,
      ...this.#graph.result(this.#root),
    };
  }
}
