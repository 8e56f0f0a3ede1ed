/** Icons drawn on 16 units with one 1.4 line; `dots` and `heavy` are the exceptions. */
const PATHS = {
  access: 'M6 8.2a3 3 0 100-6 3 3 0 000 6zM1.5 13.8a4.6 4.6 0 019 0M10.5 2.6a3 3 0 010 5.2M12.5 10a4.6 4.6 0 012 3.8',
  agents: 'M2.5 2.8h11V7h-11zM2.5 9h11v4.2h-11zM5 4.9h.01M5 11.1h.01',
  airgap: 'M5 7V5a3 3 0 016 0v2M3.5 7h9v6.5h-9zM8 9.5v1.5',
  audit: 'M3.5 1.8h6l3 3v9.4h-9zM9.3 2v3h3M5.8 8h4.4M5.8 11h4.4',
  chevron: 'M5 6.5l3 3 3-3',
  close: 'M4 4l8 8m0-8l-8 8',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  custody:
    'M6.8 9.2a2.6 2.6 0 003.8.2l1.9-1.9a2.6 2.6 0 00-3.7-3.7l-.7.7M9.2 6.8a2.6 2.6 0 00-3.8-.2L3.5 8.5a2.6 2.6 0 003.7 3.7l.7-.7',
  deploy: 'M8 2.5v7M5 6.8l3 3 3-3M2.5 13h11',
  down: 'M8 3.5v9M4.5 9L8 12.5 11.5 9',
  estate: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 11.5h4',
  environment: 'M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11',
  evidence: 'M2.5 3h11v3.5h-11zM3.5 6.5v7h9v-7M6.5 9h3',
  inbox: 'M2.5 9l1.6-5.5h7.8L13.5 9v3.5h-11zM2.5 9h3l1 1.8h3l1-1.8h3',
  integration: 'M5.5 2v3M10.5 2v3M3.5 5h9v2.5a4.5 4.5 0 01-9 0zM8 12v2',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  notify: 'M8 2.2a4 4 0 00-4 4v2.6L2.7 11h10.6L12 8.8V6.2a4 4 0 00-4-4zM6.6 13a1.5 1.5 0 002.8 0',
  plus: 'M8 3.5v9M3.5 8h9',
  product: 'M2.5 2.5h11v4h-11zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  release: 'M8 1.8l5.5 3v6.4L8 14.2l-5.5-3V4.8zM2.7 5L8 8l5.3-3M8 8v6',
  right: 'M6.5 5l3 3-3 3',
  scan: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M4.5 8h7',
  search: 'M10.3 10.3l3.4 3.4M7 2.7a4.3 4.3 0 100 8.6 4.3 4.3 0 000-8.6z',
  settings:
    'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3a1.5 1.5 0 100 3 1.5 1.5 0 000-3zM6 10a1.5 1.5 0 100 3 1.5 1.5 0 000-3z',
  today: 'M2.5 9.5h11M4.5 9.5a3.5 3.5 0 017 0M8 2v1.5M3 4.5l1 1M13 4.5l-1 1M5 12.5h6',
  up: 'M8 12.5v-9M4.5 7L8 3.5 11.5 7',
} as const;

export type IconName = keyof typeof PATHS;

/** Icon beside text; alone it needs a label on its control. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: 12 | 14 | 16 }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth={name === 'more' ? 2.2 : 1.4}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** Logo of the product: a mast over the waterline. */
export function Logo() {
  return (
    <svg width={18} height={18} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M8 1v6M1 11.5h3.2M11.8 11.5H15"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.8}
        strokeLinecap="round"
      />
      <circle cx="8" cy="11.5" r="2.6" fill="currentColor" />
    </svg>
  );
}
