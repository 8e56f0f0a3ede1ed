import { FACTS, type Language, MEMBER } from './wording.ts';

const PRODUCT = "{{ event.attributes.product | default: 'unbekanntes Produkt' }}";
const RELEASE = `${PRODUCT}{% if event.attributes.release != blank %} {{ event.attributes.release }}{% endif %}`;
const ENVIRONMENT = "{{ event.attributes.environment | default: 'unbekannte Umgebung' }}";
const MORE = '{% if group.count > 10 %}und {{ group.count | minus: 10 }} weitere{% endif %}';

export const GERMAN: Language = {
  locale: 'de',
  resolved: 'Erledigt: ',
  test: '[Test] ',
  group: '{{ group.count }} Ereignisse in dieser Gruppe, davon {{ group.open }} offen:',
  more: MORE,
  acknowledge: 'Bestätigen',
  messages: [
    {
      key: 'approval.needed',
      title: `Freigabe nötig: ${RELEASE} nach ${ENVIRONMENT}`,
      lines: [
        { text: 'Angefragt von {{ event.actor }}.', when: 'event.actor' },
        {
          text: '{{ event.payload.approvalsGiven | default: 0 }} von {{ event.payload.approvalsNeeded }} Freigaben erteilt.',
          when: 'event.payload.approvalsNeeded',
        },
        { text: 'Vor der Freigabe wird nichts ausgerollt.' },
      ],
      open: 'Freigabe prüfen',
      facts: FACTS['approval.needed'],
    },
    {
      key: 'deployment.failed',
      title: `Deployment fehlgeschlagen: ${RELEASE} in ${ENVIRONMENT}`,
      lines: [
        {
          text: "{{ event.payload.failureAnatomy.plainReason | default: event.payload.failureReason | default: 'Die Ursache ist noch nicht bekannt.' }}",
        },
        {
          text: 'Nächster Schritt: {{ event.payload.failureAnatomy.action }}',
          when: 'event.payload.failureAnatomy.action',
        },
        { text: 'Gestartet von {{ event.actor }}.', when: 'event.actor' },
      ],
      open: 'Deployment öffnen',
      facts: FACTS['deployment.failed'],
    },
    {
      key: 'deployment.landed',
      title: `Ausgerollt: ${RELEASE} läuft in ${ENVIRONMENT}`,
      lines: [
        { text: 'Alle Ziele führen die freigegebenen Digests aus.' },
        { text: 'Gestartet von {{ event.actor }}.', when: 'event.actor' },
      ],
      open: 'Deployment öffnen',
      facts: FACTS['deployment.landed'],
    },
    {
      key: 'drift.seen',
      title: `Abweichung: {{ event.attributes.target | default: 'ein Ziel' }} in ${ENVIRONMENT} entspricht nicht der Freigabe`,
      lines: [{ text: '{{ item.component }}: {{ item.digest }}', each: 'event.payload.observed' }],
      open: 'Ziel öffnen',
      facts: FACTS['drift.seen'],
    },
    {
      key: 'alertmanager.alert',
      title:
        "{{ event.attributes.alertname | default: 'Alarm' }}{% if event.attributes.instance != blank %} auf {{ event.attributes.instance }}{% endif %}",
      lines: [
        { text: '{{ event.payload.summary }}', when: 'event.payload.summary' },
        {
          text: '{% for pair in event.attributes %}{{ pair[0] }}: {{ pair[1] }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
          when: 'event.attributes',
        },
      ],
      open: 'Alarm öffnen',
      facts: FACTS['alertmanager.alert'],
    },
    {
      key: 'generic',
      title: '{{ event.kind }}',
      lines: [
        { text: '{{ event.payload.summary | default: event.payload.message }}' },
        {
          text: '{% for pair in event.attributes %}{{ pair[0] }}: {{ pair[1] }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
          when: 'event.attributes',
        },
        { text: 'Von {{ event.actor }}.', when: 'event.actor' },
      ],
      open: 'In Landfall öffnen',
      facts: FACTS.generic,
    },
    {
      key: 'digest',
      title: '{% if group.count == 1 %}1 Benachrichtigung{% else %}{{ group.count }} Benachrichtigungen{% endif %}',
      lines: [
        {
          text: MEMBER,
          each: 'group.members',
        },
        { text: MORE },
      ],
      open: 'Alle ansehen',
      facts: FACTS.digest,
    },
    {
      key: 'contact.code',
      title: 'Diese Adresse für Landfall bestätigen',
      lines: [
        { text: 'Der Code ist {{ event.payload.code }}. Er gilt {{ event.payload.minutes }} Minuten.' },
        { text: 'Wer die Adresse nicht eingetragen hat, kann diese Nachricht ignorieren.' },
      ],
      open: 'In Landfall öffnen',
      facts: FACTS['contact.code'],
    },
    {
      key: 'contact.suppressed',
      title: "An {{ event.attributes.address | default: 'eine Ihrer Adressen' }} wird nichts mehr gesendet",
      lines: [
        { text: '{{ event.payload.reason }}', when: 'event.payload.reason' },
        { text: 'Die Adresse erneut bestätigen, sobald sie Nachrichten annimmt, oder entfernen.' },
      ],
      open: 'Meine Benachrichtigungen öffnen',
      facts: FACTS['contact.suppressed'],
    },
    {
      key: 'test',
      title: 'Landfall erreicht diesen Kanal',
      lines: [{ text: 'Es ist nichts zu tun.' }],
      open: 'Kanal öffnen',
      facts: FACTS.test,
    },
    {
      key: 'api.deprecation.announced',
      title: "{{ event.payload.api }} endet am {{ event.payload.sunset | date: '%d.%m.%Y' }}",
      lines: [
        { text: 'Stattdessen {{ event.payload.successor }} verwenden.', when: 'event.payload.successor' },
        { text: '{{ event.payload.advice }}', when: 'event.payload.advice' },
        { text: 'Bis dahin antwortet die Schnittstelle wie bisher, mit dem Header Deprecation.' },
      ],
      open: 'Anleitung zum Umstieg',
      facts: FACTS['api.deprecation.announced'],
    },
  ],
};
