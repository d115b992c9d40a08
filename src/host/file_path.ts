/** The path of a `file:` URL on this platform. */
export function filePath(url: URL): string {
  const path = decodeURIComponent(url.pathname);
  return Deno.build.os === "windows"
    ? path.replace(/^\/(?=[A-Za-z]:)/, "")
    : path;
}
