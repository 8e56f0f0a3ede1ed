/** Feed of the demo: advisories in OSV's format. */

interface DemoAdvisory {
  readonly id: string;
  readonly cve: string;
  readonly package: string;
  readonly vector: string;
  readonly word: 'CRITICAL' | 'HIGH' | 'MODERATE' | 'LOW';
  readonly fixed: string;
  readonly published: string;
  readonly summary: string;
}

const ADVISORIES: readonly DemoAdvisory[] = [
  {
    id: 'GHSA-c2qf-rxjj-qqgw',
    cve: 'CVE-2022-25883',
    package: 'semver',
    vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
    word: 'HIGH',
    fixed: '7.5.2',
    published: '2023-06-21T06:30:28Z',
    summary: 'A range of versions from a stranger can occupy semver for minutes',
  },
  {
    id: 'GHSA-f5x3-32g6-xq36',
    cve: 'CVE-2024-28863',
    package: 'tar',
    vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:N/I:N/A:H',
    word: 'MODERATE',
    fixed: '6.2.1',
    published: '2024-03-22T16:57:05Z',
    summary: 'tar extracts folders of any depth, and runs out of memory',
  },
  {
    id: 'GHSA-grv7-fg5c-xmjg',
    cve: 'CVE-2024-4068',
    package: 'braces',
    vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
    word: 'HIGH',
    fixed: '3.0.3',
    published: '2024-05-14T18:30:54Z',
    summary: 'braces takes patterns of any length, and runs out of memory',
  },
];

/** Advisories by the name of their file. */
export const advisoryFiles = ADVISORIES.map(
  ({ id, cve, package: name, vector, word, fixed, published, summary }) =>
    [
      `${id}.json`,
      JSON.stringify({
        schema_version: '1.6.0',
        id,
        aliases: [cve],
        published,
        modified: published,
        summary,
        severity: [{ type: 'CVSS_V3', score: vector }],
        affected: [
          {
            package: { ecosystem: 'npm', name },
            ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
          },
        ],
        database_specific: { severity: word },
      }),
    ] as const,
);
