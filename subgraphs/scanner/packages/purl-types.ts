/** Rules of a package URL type that go beyond the common syntax. */
interface PurlTypeRules {
  /** Whether a namespace must or must not be present; without it both are allowed. */
  readonly namespace?: 'required' | 'prohibited';
  /** Whether all path segments after the first belong to the name, which then has slashes. */
  readonly hasPathName?: boolean;
  /** Qualifier without which the name is ambiguous. */
  readonly requiredQualifier?: string;
  readonly namePattern?: RegExp;
  readonly versionPattern?: RegExp;
  /** Canonical spelling of the namespace and of the name. */
  readonly foldNamespace?: (namespace: string) => string;
  readonly foldName?: (name: string, qualifiers: Readonly<Record<string, string>>) => string;
  readonly foldVersion?: (version: string) => string;
}

const lower = (text: string): string => text.toLowerCase();

const CASELESS: PurlTypeRules = { foldNamespace: lower, foldName: lower };
const NAME_ONLY: PurlTypeRules = { namespace: 'prohibited' };
const CASELESS_NAME_ONLY: PurlTypeRules = { namespace: 'prohibited', foldName: lower };

/** Name of a Python project as PyPI compares it. Source: PEP 503, normalized names. */
export const normalizePythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

/** Lower-cases a model's name where the tracking server ignores case: Databricks does, Azure ML does not. */
const foldModelName = (name: string, qualifiers: Readonly<Record<string, string>>): string =>
  qualifiers.repository_url?.includes('databricks') ? name.toLowerCase() : name;

/** Types whose definitions add rules. Source: type definitions and tests of package-url/purl-spec. */
const RULES: Readonly<Record<string, PurlTypeRules>> = {
  alpm: CASELESS,
  apk: CASELESS,
  bazel: NAME_ONLY,
  bitbucket: CASELESS,
  bitnami: CASELESS_NAME_ONLY,
  brew: CASELESS,
  cargo: NAME_ONLY,
  'chrome-extension': {
    namespace: 'prohibited',
    foldName: lower,
    namePattern: /^[a-p]{32}$/,
    versionPattern: /^\d+(?:\.\d+){0,3}$/,
  },
  cocoapods: NAME_ONLY,
  composer: CASELESS,
  conda: NAME_ONLY,
  // A module such as URI::PackageURL is no distribution.
  cpan: { namePattern: /^(?:[^:]|:(?!:))+$/ },
  cran: NAME_ONLY,
  deb: CASELESS,
  gem: NAME_ONLY,
  git: { ...CASELESS, namespace: 'required', hasPathName: true },
  github: CASELESS,
  githubactions: CASELESS,
  golang: CASELESS,
  hackage: NAME_ONLY,
  hex: CASELESS,
  huggingface: { foldVersion: lower },
  julia: { namespace: 'prohibited', requiredQualifier: 'uuid' },
  luarocks: CASELESS,
  mlflow: { namespace: 'prohibited', foldName: foldModelName },
  npm: CASELESS,
  nuget: NAME_ONLY,
  oci: CASELESS_NAME_ONLY,
  opam: NAME_ONLY,
  otp: NAME_ONLY,
  pub: CASELESS_NAME_ONLY,
  pypi: { namespace: 'prohibited', foldName: normalizePythonName },
  qpkg: { foldNamespace: lower },
  rpm: { foldNamespace: lower },
  swift: { namespace: 'required' },
  vcpkg: NAME_ONLY,
  'vscode-extension': { ...CASELESS, namespace: 'required' },
};

const NO_RULES: PurlTypeRules = {};

/** Rules of a type; a type that is not registered has only those of the common syntax. */
export const rulesOf = (type: string): PurlTypeRules =>
  (Object.hasOwn(RULES, type) ? RULES[type] : undefined) ?? NO_RULES;
