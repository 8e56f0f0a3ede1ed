-- Why:  a scan that another one of its image replaces takes its findings with it: they are found by the scan, so that the
--       scan keeps no list of them, which each page of findings would write anew.
-- Read: platform/subjects.store.ts listOfScans
-- Lock: search.subjects against writes, while the index is built
create index subjects_of_scan on search.subjects (tenant, (facts ->> 'scanId')) where entity = 'Finding';
