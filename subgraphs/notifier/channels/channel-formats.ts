import Format from 'typebox/format';

/** Address that a channel may be sent to: HTTPS, or HTTP on this machine, which the egress rule judges again. */
export const isChannelUrl = (value: string): boolean => {
  const url = URL.parse(value);
  return (
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.hash === ''
  );
};

/** Address of a mailbox without a display name or quoting (RFC 5321 4.1.2, the common part). */
export const isMailAddress = (value: string): boolean =>
  /^[^\s@"<>,;:()[\]\\]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(value);

Format.Set('channel-url', isChannelUrl);
Format.Set('mail-address', isMailAddress);
