import { hex } from './digest.ts';
import { scanLabel as t } from './scan-labels.ts';

type Named = {
  readonly subject: { readonly name: string; readonly version: string | null } | null;
  readonly imageDigest: string | null;
  readonly sbomDigest: string;
};

/** Name of a scan: its subject, else the beginning of the digest of its image or of its bill. */
export function scanName({ subject, imageDigest, sbomDigest }: Named): string {
  if (subject !== null) return subject.version === null ? subject.name : `${subject.name} ${subject.version}`;
  const short = hex(imageDigest ?? sbomDigest).slice(0, 12);
  return t(imageDigest === null ? 'scan.name.sbom' : 'scan.name.image', { digest: short });
}
