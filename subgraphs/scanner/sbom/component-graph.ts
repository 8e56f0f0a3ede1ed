import { createComponentFactory, type NewComponent, type StoredComponent } from './component.ts';
import type { Sbom, SbomComponent, SbomLimits, SbomSubject } from './sbom.ts';
import { SbomError } from './sbom-error.ts';

const RESTRICTIONS: readonly SbomComponent['scope'][] = [null, 'required', 'optional', 'excluded'];

/** Copies a text: slices and concatenations keep the texts in memory that they are made of. */
export const compact = (text: string): string => Buffer.from(text).toString();

/** Joins an algorithm as SBOMs write it and a value: `SHA-256` or `SHA256` to `sha256:…`. */
export const hashOf = (algorithm: string, value: string): string =>
  compact(`${algorithm.toLowerCase().replace(/^(sha|md)-?(\d+)$/, '$1$2')}:${value.toLowerCase()}`);

/** Collects components and the relations between them, within the limits. */
export class ComponentGraph {
  readonly #limits: SbomLimits;
  readonly #components: StoredComponent[] = [];
  readonly #byRef = new Map<string, StoredComponent>();
  readonly #edges = new Map<string, string[]>();
  readonly #scopes = new Map<string, SbomComponent['scope']>();
  readonly #factory = createComponentFactory();
  #edgeCount = 0;

  constructor(limits: SbomLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#components.length;
  }

  /** Ref of the component of a document that has no other. */
  get onlyRef(): string | null {
    return this.#components.length === 1 ? (this.#components[0]?.ref ?? null) : null;
  }

  has(ref: string): boolean {
    return this.#find(ref) !== undefined;
  }

  /** Adds a component and returns its ref. Throws duplicate_ref, too_many. */
  add(component: NewComponent): string {
    const position = this.#components.length;
    if (position >= this.#limits.components)
      throw new SbomError('too_many', `The document has more than ${this.#limits.components} components`);
    const ref = component.ref ?? `#${position}`;
    if (this.has(ref)) throw new SbomError('duplicate_ref', `Two components have the ref ${JSON.stringify(ref)}`);
    const added = this.#factory.create(component, position);
    this.#components.push(added);
    if (component.ref !== null) this.#byRef.set(ref, added);
    return ref;
  }

  /** Adds a relation: the first depends on the second or contains it. Throws too_many. */
  relate(from: string, to: string): void {
    if (from === to) return;
    if (this.#edgeCount >= this.#limits.dependencies)
      throw new SbomError('too_many', `The document has more than ${this.#limits.dependencies} dependencies`);
    this.#edgeCount += 1;
    // Shares the text of the component's ref: a large graph repeats each ref many times.
    const target = this.#find(to)?.ref ?? to;
    const targets = this.#edges.get(from);
    if (targets) targets.push(target);
    else this.#edges.set(this.#find(from)?.ref ?? from, [target]);
  }

  /** Notes the scope of one relation of a component; the least restrictive of several holds. */
  restrict(ref: string, scope: SbomComponent['scope']): void {
    const present = this.#scopes.get(ref);
    if (present === undefined || RESTRICTIONS.indexOf(scope) < RESTRICTIONS.indexOf(present))
      this.#scopes.set(ref, scope);
  }

  /** Component of a ref, as the subject of the document. */
  subject(ref: string): SbomSubject | null {
    const component = this.#find(ref);
    return component
      ? { name: component.name, version: component.version, purl: component.purl, digests: component.hashes }
      : null;
  }

  /** Components and dependencies. Relations of a ref that is neither a component nor the root are left out. */
  result(root: string | null): Pick<Sbom, 'components' | 'dependencies'> {
    for (const [ref, scope] of this.#scopes) {
      const component = this.#find(ref);
      if (component?.scope === null) this.#factory.change(component, { scope });
    }
    const direct = root === null ? undefined : this.#edges.get(root);
    if (direct) {
      const refs = new Set(direct);
      for (const component of this.#components) this.#factory.change(component, { isDirect: refs.has(component.ref) });
    }
    const dependencies = new Map<string, readonly string[]>();
    for (const [from, targets] of this.#edges) {
      if (from !== root && !this.has(from)) continue;
      const resolved = [...new Set(targets)].filter((to) => this.has(to));
      if (resolved.length > 0) dependencies.set(from, resolved);
    }
    return { components: this.#components, dependencies };
  }

  #find(ref: string): StoredComponent | undefined {
    const written = this.#byRef.get(ref);
    if (written || !ref.startsWith('#')) return written;
    const unnamed = this.#components[Number(ref.slice(1))];
    return unnamed?.ref === ref ? unnamed : undefined;
  }
}
