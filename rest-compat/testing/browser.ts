/** Cookies that a browser stores for an origin. */
export const cookieJar = () => {
  const cookies = new Map<string, string>();
  return {
    kept: cookies,
    header: (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    storeCookies(response: Response): void {
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (/max-age=0/i.test(cookie)) cookies.delete(name);
        else cookies.set(name, value);
      }
    },
  };
};

/** The one value of a form's hidden field. */
export const hidden = (page: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';

/** Action of the page's form. */
export const actionOf = (page: string): string => (/action="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
