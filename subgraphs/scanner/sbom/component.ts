import type { SbomComponent } from './sbom.ts';
import { TextStore } from './text-store.ts';

/** Facts of a component that many others have too. */
type Traits = Pick<SbomComponent, 'group' | 'type' | 'scope' | 'isDirect'>;

/** Component before its relation to the subject is known. */
export type NewComponent = Omit<SbomComponent, 'isDirect' | 'ref'> & { readonly ref: string | null };

const NO_HASHES: readonly string[] = [];
const MAX_TRAITS = 10_000;
/** Texts in a row of the store. */
const [NAME, VERSION, PURL] = [0, 1, 2];

/** Component of a document that may have millions: its own texts are read from a store. */
export class StoredComponent implements SbomComponent {
  readonly hashes: readonly string[];
  readonly #texts: TextStore;
  readonly #row: number;
  /** The ref as written, or the position of a component without one. */
  readonly #ref: string | number;
  traits: Traits;

  /** @param position the ref of a component that has none */
  constructor(texts: TextStore, { ref, name, version, purl, hashes }: NewComponent, position: number, traits: Traits) {
    this.hashes = hashes.length === 0 ? NO_HASHES : hashes;
    this.#texts = texts;
    this.#row = texts.add([name, version, purl]);
    this.#ref = ref ?? position;
    this.traits = traits;
  }

  get ref(): string {
    return typeof this.#ref === 'number' ? `#${this.#ref}` : this.#ref;
  }

  get name(): string {
    return this.#texts.read(this.#row, NAME) ?? '';
  }

  get version(): string | null {
    return this.#texts.read(this.#row, VERSION);
  }

  get purl(): string | null {
    return this.#texts.read(this.#row, PURL);
  }

  get group(): string | null {
    return this.traits.group;
  }

  get type(): string | null {
    return this.traits.type;
  }

  get scope(): SbomComponent['scope'] {
    return this.traits.scope;
  }

  get isDirect(): boolean | null {
    return this.traits.isDirect;
  }
}

/** Creates the components of one document. */
export const createComponentFactory = () => {
  const texts = new TextStore();
  const pool = new Map<string, Traits>();
  /** Traits of which equal ones are stored once, up to a number of different ones. */
  const shared = ({ group, type, scope, isDirect }: Traits): Traits => {
    const key = `${type}/${scope}/${isDirect}/${group}`;
    const known = pool.get(key);
    if (known) return known;
    const added = { group, type, scope, isDirect };
    if (pool.size < MAX_TRAITS) pool.set(key, added);
    return added;
  };
  return {
    create: (component: NewComponent, position: number): StoredComponent =>
      new StoredComponent(texts, component, position, shared({ ...component, isDirect: null })),
    /** Changes traits of a component. */
    change(component: StoredComponent, changes: Partial<Traits>): void {
      component.traits = shared({ ...component.traits, ...changes });
    },
  };
};
