import { unique } from './document-fields.ts';

const CVE = /^CVE-\d{4}-\d{4,}$/i;
const GHSA = /^GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}$/i;

/** Canonical spelling: CVE ids in capitals, the groups of GHSA ids in lower case, every other id as published. */
export const normalizeAdvisoryId = (id: string): string => {
  if (CVE.test(id)) return id.toUpperCase();
  return GHSA.test(id) ? `GHSA${id.slice(4).toLowerCase()}` : id;
};

export const isCve = (id: string): boolean => CVE.test(id);

/** Normalised ids without repetitions. */
export const normalizeAdvisoryIds = (ids: readonly (string | null)[]): readonly string[] =>
  unique(ids.map((id) => (id === null ? null : normalizeAdvisoryId(id))));

/** Id that names a vulnerability: the lowest CVE of an alias group in byte order, otherwise its lowest id. */
export const vulnerabilityIdOf = (ids: readonly [string, ...string[]]): string => {
  const cves = ids.filter(isCve);
  return (cves.length > 0 ? cves : ids).reduce((lowest, id) =>
    Buffer.compare(Buffer.from(id), Buffer.from(lowest)) < 0 ? id : lowest,
  );
};
