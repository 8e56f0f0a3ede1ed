/** OSV record of an advisory about one npm package, with what a test changes. */
export const osvRecord = (id: string, packageName: string, more: object = {}) => ({
  id,
  modified: '2026-01-01T00:00:00Z',
  summary: `About ${packageName}`,
  affected: [
    {
      package: { ecosystem: 'npm', name: packageName },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.2.0' }] }],
    },
  ],
  ...more,
});
