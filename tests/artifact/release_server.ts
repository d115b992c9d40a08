import { load } from "js-yaml";
import { PORTABLE } from "./portable_run.ts";

/** A server that stands in for github.com, for curl in one home. */
export interface ReleaseServer extends AsyncDisposable {
  /** The paths that were asked for. */
  asked: string[];
}

const ROOT = new URL("../../", import.meta.url).pathname;

/**
 * Serves the latest release of OWNER/tau as github.com does, made of the built
 * file. A `.curlrc` in `home` leads curl there, so that the commands of a page
 * need no other words. `folder` takes what the server needs.
 */
export async function startReleaseServer(
  folder: string,
  home: string,
): Promise<ReleaseServer> {
  const files = await makeRelease(folder);
  const { key, cert, path } = await makeCertificate(folder);
  const asked: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, key, cert, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const [, name = ""] =
        /^\/OWNER\/tau\/releases\/latest\/download\/([\w.-]+)$/
          .exec(pathname) ?? [];
      try {
        const file = await Deno.open(`${files}/${name}`);
        return new Response(file.readable);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        return new Response("Not Found", { status: 404 });
      }
    },
  );
  await Deno.writeTextFile(
    `${home}/.curlrc`,
    `connect-to = "github.com:443:127.0.0.1:${server.addr.port}"
cacert = "${path}"
`,
  );
  return { asked, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Makes the files of a release for this machine, as the release workflow does; the folder that has them. */
async function makeRelease(folder: string): Promise<string> {
  const files = `${folder}/files`;
  await Deno.mkdir(files);
  const system = Deno.build.os === "darwin" ? "macos" : "linux";
  const processor = Deno.build.arch === "aarch64" ? "arm64" : "x64";
  await Deno.copyFile(PORTABLE, `${files}/tau-portable-${system}-${processor}`);
  await Deno.copyFile(`${ROOT}install.sh`, `${folder}/install.sh`);
  await succeed(["bash", "-eo", "pipefail", "-c", await fillingStep()], {
    cwd: folder,
    env: {
      OWNER: "OWNER",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "OWNER/tau",
    },
  });
  await succeed(["sh", "-c", "sha256sum -- * >../SUMS"], { cwd: files });
  await Deno.rename(`${folder}/SUMS`, `${files}/SHA256SUMS`);
  return files;
}

/** The step of the release workflow that tells install.sh where the release is. */
async function fillingStep(): Promise<string> {
  const { jobs } = load(
    await Deno.readTextFile(`${ROOT}.github/workflows/release.yml`),
  ) as { jobs: { publish: { steps: { run?: string }[] } } };
  const step = jobs.publish.steps.find(({ run }) =>
    run?.includes(">files/install.sh")
  );
  if (!step?.run) throw new Error("release.yml does not fill in install.sh");
  return step.run;
}

async function makeCertificate(
  folder: string,
): Promise<{ key: string; cert: string; path: string }> {
  const path = `${folder}/cert.pem`;
  await succeed([
    ...["openssl", "req", "-x509", "-nodes", "-days", "1"],
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
    ...["-subj", "/CN=github.com", "-addext", "subjectAltName=DNS:github.com"],
    ...["-keyout", `${folder}/key.pem`, "-out", path],
  ]);
  return {
    key: await Deno.readTextFile(`${folder}/key.pem`),
    cert: await Deno.readTextFile(path),
    path,
  };
}

async function succeed(
  [program = "", ...args]: string[],
  options: Deno.CommandOptions = {},
): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    ...options,
    args,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
