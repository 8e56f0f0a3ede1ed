type EffectiveRole = { readonly role: string; readonly isDirect: boolean; readonly by: readonly string[] };

type Person = {
  readonly roles: readonly string[] | null;
  readonly groups: readonly { readonly displayName: string; readonly roles: readonly string[] }[] | null;
};

/** Roles that hold for a person, their own first, each with where it comes from. */
export function effectiveRoles({ roles, groups }: Person): EffectiveRole[] {
  const own = roles ?? [];
  const all = new Set([...own, ...(groups ?? []).flatMap((group) => group.roles)]);
  return [...all].map((role) => ({
    role,
    isDirect: own.includes(role),
    by: (groups ?? []).filter((group) => group.roles.includes(role)).map(({ displayName }) => displayName),
  }));
}

/** Scopes by their module: `orch:read` under `orch`, `export.viewer` under `export`. */
export function scopesByModule(scopes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const modules = new Map<string, string[]>();
  for (const scope of scopes) {
    const name = /^[^:.]+(?=[:.])/.exec(scope)?.[0] ?? '';
    modules.set(name, [...(modules.get(name) ?? []), scope]);
  }
  return modules;
}

export const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** PEM certificates of a text, each with its fences (RFC 7468), without the text between. */
export const splitCertificates = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
