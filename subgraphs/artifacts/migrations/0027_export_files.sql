-- Files of an export are read piece by piece: of a compressed value each piece costs the decompression of all before it.
alter table evidence.export_files alter column content set storage external;
