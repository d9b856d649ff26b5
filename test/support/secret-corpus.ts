// Makes plausible secrets in the forms in which people and programs write them down: names × forms × kinds of
// values. The same seed gives the same corpus.

/** A text with a secret in it, and the spelling of the secret that must not remain. */
export interface SecretCase {
  form: string
  kind: string
  name: string
  text: string
  secret: string
}

type Random = (below: number) => number

function seeded(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return Math.floor(((state ^ (state >>> 13)) >>> 0) / (2 ** 32 / below))
  }
}

const lower = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const alnum = `${lower}${lower.toUpperCase()}${digits}`
const words = ['falcon', 'winter', 'orange', 'copper', 'thunder', 'marble', 'velvet', 'harbor', 'dragon']

const take = (random: Random, alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[random(alphabet.length)]).join('')
const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)]!
/** Random values have letters and digits, as all but very few do. */
const mixed = (random: Random, alphabet: string, length: number) =>
  `${take(random, lower.slice(0, 6), 1)}${take(random, alphabet, length - 2)}${take(random, digits, 1)}`
const uuid = (random: Random) => {
  const hex = mixed(random, '0123456789abcdef', 32)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-')
}

/** Values that a program makes. */
const random: Record<string, (random: Random) => string> = {
  'alphanumeric, 16': (next) => mixed(next, alnum, 16),
  'alphanumeric, 32': (next) => mixed(next, alnum, 32),
  'lower case, 20': (next) => mixed(next, `${lower}${digits}`, 20),
  'hex, 32': (next) => mixed(next, '0123456789abcdef', 32),
  'hex, 64': (next) => mixed(next, '0123456789abcdef', 64),
  uuid,
  base64: (next) => `${mixed(next, `${alnum}+/`, 42)}5=`,
  'letters, 24': (next) => take(next, `${lower}${lower.toUpperCase()}`, 24),
  'letters, digits, signs': (next) => take(next, `${alnum}!@#%^*-_+`, 14),
  base64url: (next) => mixed(next, `${alnum}_-`, 43),
}

/** Values that a person invents. */
const invented: Record<string, (random: Random) => string> = {
  'word and digits': (next) => `${pick(next, words)}${take(next, digits, 2)}`,
  'word, digits, sign': (next) => `${pick(next, words)}${take(next, digits, 2)}${pick(next, [...'!*^+@'])}`,
  'letters replaced': (next) =>
    `Tr0ub${take(next, digits, 1)}d0r${pick(next, [...'!*^+@'])}${take(next, digits, 2)}`,
  'capital, digits, sign, letters': (next) =>
    `K${take(next, lower, 4)}${take(next, digits, 2)}${pick(next, [...'!#@$%'])}${take(next, alnum, 3)}`,
  words: (next) => Array.from({ length: 4 }, () => pick(next, words)).join('-'),
  digits: (next) => take(next, digits, 8),
}

const passwordNames = [
  'password',
  'Password',
  'passwd',
  'pwd',
  'passphrase',
  'db_password',
  'DB_PASSWORD',
  'dbPassword',
  'admin-password',
  'mysql_root_password',
  'user_pass',
  'spring.datasource.password',
  'redisPassword',
  'PGPASSWORD',
]
const secretNames = [
  'api_key',
  'apiKey',
  'api-key',
  'API_KEY',
  'stripe_api_key',
  'client_secret',
  'clientSecret',
  'secret',
  'secret_key',
  'SECRET_KEY_BASE',
  'token',
  'access_token',
  'accessToken',
  'auth_token',
  'refresh_token',
  'bot_token',
  'id_token',
  'private_key',
  'signing_key',
  'encryption_key',
  'webhook_secret',
  'JWT_SECRET',
  'session_secret',
  'access_key',
  'aws_secret_access_key',
  'auth_key',
  'license_key',
  'master_key',
  'deploy_key',
  'account_key',
  'consumer_secret',
  'shared_secret',
  'service_role_key',
  'credentials',
  'app_secret',
  'hmac-key',
]

const camel = (name: string) => name.replace(/[._-]([a-z])/gi, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.replaceAll(/[.-]/g, '_')
const kebab = (name: string) =>
  name
    .replaceAll(/[._]/g, '-')
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
const upper = (name: string) => snake(name).toUpperCase()
const basic = (value: string) => Buffer.from(`app:${value}`).toString('base64')
const url = encodeURIComponent

type Form = (name: string, value: string) => string

/** Any name, any value. */
const assignments: Record<string, Form> = {
  yaml: (name, value) => `database:\n  ${name}: ${value}\n  port: 5432\n`,
  'yaml, last line': (name, value) => `host: db\n${name}: ${value}`,
  'yaml list': (name, value) => `environment:\n  - ${upper(name)}=${value}\n  - DEBUG=1\n`,
  'yaml, single quotes': (name, value) => `${name}: '${value}'\n`,
  ini: (name, value) => `[client]\nuser = app\n${snake(name)} = ${value}\nhost = db\n`,
  'ini, no spaces': (name, value) => `[client]\n${snake(name)}=${value}\n`,
  'java properties': (name, value) => `app.${name}=${value}\napp.name=shop\n`,
  toml: (name, value) => `[auth]\n${snake(name)} = "${value}"\n`,
  hcl: (name, value) => `resource "db" "main" {\n  ${snake(name)}   = "${value}"\n}\n`,
  'hcl default': (name, value) => `variable "${snake(name)}" {\n  default = "${value}"\n}\n`,
  dotenv: (name, value) => `${upper(name)}=${value}\nNODE_ENV=test\n`,
  'shell export': (name, value) => `export ${upper(name)}="${value}"; run`,
  'shell, lower case': (name, value) => `${snake(name)}=${value} ./run.sh`,
  'docker -e': (name, value) => `docker run -e ${upper(name)}=${value} -p 80:80 image`,
  'dockerfile ENV': (name, value) => `ENV ${upper(name)} ${value}\nRUN make\n`,
  'fish set': (name, value) => `set -gx ${upper(name)} ${value}`,
  'windows set': (name, value) => `set ${upper(name)}=${value}\r\n`,
  powershell: (name, value) => `$${camel(name)} = '${value}'`,
  'powershell env': (name, value) => `$env:${upper(name)} = "${value}"`,
  json: (name, value) => JSON.stringify({ user: 'x', [name]: value }, null, 2),
  'json in json': (name, value) => JSON.stringify({ body: JSON.stringify({ [name]: value }) }),
  'json in json in json': (name, value) => JSON.stringify(JSON.stringify(JSON.stringify({ [name]: value }))),
  'name and value in json': (name, value) => JSON.stringify({ name: upper(name), value }),
  'name and value in yaml': (name, value) => `- name: ${upper(name)}\n  value: ${value}\n`,
  python: (name, value) => `${snake(name)} = "${value}"\n`,
  'python, typed': (name, value) => `${snake(name)}: str = '${value}'\n`,
  'python, bytes': (name, value) => `${upper(name)} = b'${value}'\n`,
  'python dict': (name, value) => `config['${name}'] = "${value}"`,
  'python argument': (name, value) => `connect(user="x", ${snake(name)}="${value}", port=1)`,
  'python default': (name, value) => `os.environ.get("${upper(name)}", "${value}")`,
  javascript: (name, value) => `const ${camel(name)} = '${value}';`,
  'javascript template': (name, value) => `const ${camel(name)} = \`${value}\``,
  'javascript object': (name, value) => `{ user: 'x', ${camel(name)}: '${value}' }`,
  'javascript default': (name, value) => `process.env.${upper(name)} || '${value}'`,
  typescript: (name, value) => `const ${camel(name)}: string = "${value}"`,
  csharp: (name, value) => `private const string ${camel(name)} = @"${value}";`,
  'csharp initialiser': (name, value) => `new Client { ${camel(name)} = "${value}" }`,
  java: (name, value) => `String ${camel(name)} = "${value}";`,
  'java setter': (name, value) => `client.set${camel(`x_${name}`).slice(1)}("${value}");`,
  'java property': (name, value) => `props.setProperty("${name}", "${value}");`,
  go: (name, value) => `${camel(name)} := "${value}"`,
  'go environment': (name, value) => `os.Setenv("${upper(name)}", "${value}")`,
  rust: (name, value) => `let ${snake(name)}: &str = "${value}";`,
  ruby: (name, value) => `:${snake(name)} => "${value}"`,
  php: (name, value) => `define('${upper(name)}', '${value}');`,
  comparison: (name, value) => `if (${camel(name)} === '${value}') allow()`,
  'xml element': (name, value) => `<config><${camel(name)}>${value}</${camel(name)}></config>`,
  'xml attribute': (name, value) => `<datasource user="x" ${camel(name)}="${value}"/>`,
  'xml key and value': (name, value) => `<add key="${name}" value="${value}" />`,
  option: (name, value) => `tool --${kebab(name)} ${value} --verbose`,
  'option with =': (name, value) => `tool --${kebab(name)}=${value} run`,
  'option, quoted': (name, value) => `tool --${kebab(name)} "${value}"`,
  'java -D': (name, value) => `java -D${name}=${value} -jar app.jar`,
  'helm --set': (name, value) => `helm install x --set auth.${camel(name)}=${value}`,
  query: (name, value) => `GET https://api.test/v1?${snake(name)}=${url(value)}&page=2`,
  'form body': (name, value) => `curl -d 'user=x&${snake(name)}=${url(value)}' https://api.test`,
  'java constant': (name, value) => `private static final String ${upper(name)} = "${value}";`,
  'javascript constant': (name, value) => `const ${upper(name)} = '${value}'`,
  'json, one member': (name, value) => `"${snake(name)}": "${value}"`,
  'properties, dots': (name, value) => `app.${snake(name).replaceAll('_', '.')}=${value}\n`,
  'list of arguments': (name, value) => `["--${kebab(name)}","${value}"]`,
  'call with arguments': (name, value) => `subprocess.run(["tool", "--${kebab(name)}", "${value}"])`,
  'kubectl literal': (name, value) =>
    `kubectl create secret generic x --from-literal=${kebab(name)}=${value}`,
  header: (name, value) => `X-${kebab(name)}: ${value}\r\n`,
  'header of curl': (name, value) => `curl -H 'X-${kebab(name)}: ${value}' https://api.test`,
  lisp: (name, value) => `(setq ${kebab(name)} "${value}")`,
  'sentence, code': (name, value) => `My ${name.replaceAll(/[._-]/g, ' ')}: \`${value}\``,
  'sentence, is': (name, value) => `The ${name.replaceAll(/[._-]/g, ' ')} is ${value}.`,
  'sentence, colon': (name, value) => `Log in with the ${name.replaceAll(/[._-]/g, ' ')}: ${value}`,
  'sentence, quoted': (name, value) => `use the ${name} \`${value}\` for staging`,
}

/** Forms that say so little that only a name without doubt makes a secret of the value. */
const besides: Record<string, Form> = {
  'sentence, use': (name, value) => `Use ${name.replaceAll(/[._-]/g, ' ')} ${value} to log in`,
  'sentence, in brackets': (name, value) => `the ${name.replaceAll(/[._-]/g, ' ')} (${value})`,
  arrow: (name, value) => `${name} -> ${value}`,
  'cell of a table': (name, value) => `| Name | Value |\n| --- | --- |\n| ${name} | ${value} |\n`,
  'cell of a table, code': (name, value) => `| ${upper(name)} | \`${value}\` |\n`,
  csv: (name, value) => `name,value\n${name},${value}\n`,
  'yaml block': (name, value) => `db:\n  ${name}: |\n    ${value}\n`,
  'yaml, folded': (name, value) => `${name}: >-\n  ${value}\n`,
  'yaml, next line': (name, value) => `${name}:\n  ${value}\nport: 1\n`,
  'here document': (name, value) => `${upper(name)}=$(cat <<E\n${value}\nE\n)`,
}
const certainNames = [
  'password',
  'Password',
  'db_password',
  'dbPassword',
  'passphrase',
  'api_key',
  'apiKey',
  'client_secret',
  'access_token',
  'accessToken',
  'auth_token',
  'refresh_token',
  'private_key',
  'secret_key',
]

/** Forms with a fixed name, for passwords. */
const ofPasswords: Record<string, (value: string) => string> = {
  'identified by': (value) => `CREATE USER 'app'@'%' IDENTIFIED BY '${value}';`,
  'identified with': (value) => `ALTER USER app IDENTIFIED WITH mysql_native_password BY '${value}';`,
  'create role': (value) => `CREATE ROLE app WITH LOGIN PASSWORD '${value}';`,
  'set password': (value) => `SET PASSWORD FOR 'app'@'%' = PASSWORD('${value}');`,
  sshpass: (value) => `sshpass -p ${value} ssh root@db.test`,
  'sshpass, quoted': (value) => `sshpass -p '${value}' scp a b`,
  mysql: (value) => `mysql -h db -u root -p${value} shop`,
  mysqldump: (value) => `mysqldump -uroot -p'${value}' shop > dump.sql`,
  'redis-cli': (value) => `redis-cli -h cache -a ${value} ping`,
  'docker login': (value) => `docker login -u app -p ${value} registry.test`,
  'curl -u': (value) => `curl -sS -u app:${value} https://api.test/v1`,
  'curl --user': (value) => `curl --user "app:${value}" https://api.test/v1`,
  'piped to docker': (value) => `echo ${value} | docker login -u app --password-stdin registry.test`,
  'piped to sudo': (value) => `echo '${value}' | sudo -S apt update`,
  chpasswd: (value) => `echo "root:${value}" | chpasswd`,
  openssl: (value) => `openssl rsa -in key.pem -passin pass:${value} -out out.pem`,
  ldapsearch: (value) => `ldapsearch -x -D "cn=admin" -w ${value} -b dc=test`,
  uri: (value) => `postgres://app:${url(value)}@db.internal:5432/shop`,
  'uri without user': (value) => `redis://:${url(value)}@cache:6379/0`,
  jdbc: (value) => `jdbc:mysql://db/shop?user=app&password=${url(value)}&ssl=true`,
  dsn: (value) => `host=db user=app password=${value} dbname=shop`,
  'connection string': (value) => `Server=tcp:db,1433;User Id=app;Password=${value};Encrypt=true;`,
  pgpass: (value) => `db.internal:5432:shop:app:${value}\n`,
  'pgpass, any': (value) => `*:*:*:postgres:${value}\n`,
  netrc: (value) => `machine api.test login app password ${value}\n`,
  'netrc, lines': (value) => `machine api.test\n  login app\n  password ${value}\n`,
  powershell: (value) => `ConvertTo-SecureString "${value}" -AsPlainText -Force`,
  'powershell option': (value) => `New-User -Name app -Password '${value}'`,
  'sentence, to': (value) => `I set the password to ${value} and restarted`,
  'sentence, pair': (value) => `user: admin, pass: ${value}`,
  keytool: (value) => `keytool -list -keystore k.jks -storepass ${value}`,
  mongo: (value) => `mongo -u admin -p ${value} db.test/shop`,
  mongosh: (value) => `mongosh --host db.test -u admin -p '${value}'`,
  'az login': (value) => `az login --service-principal -u app -p ${value} --tenant t`,
  '7z': (value) => `7z x -p${value} a.7z`,
  zip: (value) => `zip -P ${value} a.zip f`,
  htpasswd: (value) => `htpasswd -b .htpasswd admin ${value}`,
  'htpasswd, new file': (value) => `htpasswd -cb .htpasswd admin '${value}'`,
  smbclient: (value) => `smbclient //h/s -U admin%${value.replaceAll('@', '-')}`,
  sqlplus: (value) => `sqlplus scott/${value.replaceAll(/[@/]/g, '-')}@db`,
  'chpasswd, here string': (value) => `chpasswd <<< "root:${value.replaceAll('@', '-')}"`,
  'net use': (value) => `net use z: \\\\h\\s /user:me ${value.replaceAll('@', '-')}`,
  'openssl enc': (value) => `openssl enc -aes-256-cbc -k ${value}`,
  'openssl, last': (value) => `openssl rsa -in k.pem -passin pass:${value}`,
  'uri with a slash': (value) => `redis://:${value.replaceAll('@', '-').slice(0, 4)}/${value}@cache:6379`,
  'uri with a user and a slash': (value) => `https://user:ab/${value}@h.test/x`,
  'pass, alone': (value) => `pass="${value}"`,
  pw: (value) => `{ "pw": "${value}" }`,
  'pw, yaml': (value) => `pw: ${value}\n`,
  passwort: (value) => `Passwort: ${value}`,
  'mot de passe': (value) => `mot de passe : ${value}`,
  prompt: (value) => `Enter password: ${value}\n`,
  'user/password': (value) => `credentials: admin/${value}`,
}

/** Forms with a fixed name, for tokens. */
const ofTokens: Record<string, (value: string) => string> = {
  'X-Api-Key': (value) => `curl -H "X-Api-Key: ${value}" https://api.test`,
  'X-Auth-Token': (value) => `GET / HTTP/1.1\r\nX-Auth-Token: ${value}\r\nHost: api.test\r\n`,
  'x-goog-api-key': (value) => `x-goog-api-key: ${value}\n`,
  'Private-Token': (value) => `curl --header 'PRIVATE-TOKEN: ${value}' https://gitlab.test`,
  'header in code': (value) => `headers: { 'X-Api-Key': '${value}' }`,
  'header call': (value) => `request.header("X-Api-Key", "${value}")`,
  cookie: (value) => `Cookie: theme=dark; session=${value}\r\nHost: x\r\n`,
  'cookie, one': (value) => `curl -H 'Cookie: session=${value}' https://api.test`,
  'curl -b': (value) => `curl -b "session=${value}" https://api.test`,
  'Set-Cookie': (value) => `Set-Cookie: sid=${value}; Path=/; HttpOnly\r\n`,
  bearer: (value) => `Authorization: Bearer ${value}\n`,
  'bearer in code': (value) => `headers: { Authorization: 'Bearer ${value}' }`,
  'authorization token': (value) => `Authorization: Token ${value}\n`,
  'authorization, bare': (value) => `Authorization: ${value}\r\n`,
  'access_token in a query': (value) => `https://api.test/me?access_token=${url(value)}`,
  'key in a query': (value) => `https://maps.test/api/js?key=${url(value)}&v=3`,
  'token in a query': (value) => `wss://api.test/socket?v=1&token=${url(value)}`,
  'signature in a query': (value) => `https://s3.test/x?X-Amz-Expires=60&X-Amz-Signature=${url(value)}`,
  fragment: (value) => `https://app.test/callback#access_token=${url(value)}&state=1`,
  npmrc: (value) => `//registry.test/:_authToken=${value}\n`,
  'npmrc, spaces': (value) => `//registry.test/:_authToken = ${value}\n`,
  'npmrc _password': (value) => `//registry.test/:_password="${value}"\n`,
  'token as user': (value) => `git clone https://${url(value)}@github.test/a/b.git`,
  'token as password': (value) =>
    `git remote set-url origin https://oauth2:${url(value)}@gitlab.test/a/b.git`,
  'gh auth': (value) => `echo ${value} | gh auth login --with-token`,
  'git extraheader': (value) => `git -c http.extraheader="AUTHORIZATION: basic ${value}" fetch`,
  'vault write': (value) => `vault login token=${value}`,
  'kubectl literal': (value) => `kubectl create secret generic x --from-literal=api-key=${value}`,
  'aws configure': (value) => `aws configure set aws_secret_access_key ${value}`,
}

/** Forms that encode user and password together. */
const encodedPairs: Record<string, (value: string) => string> = {
  'docker auth': (value) => `{"auths":{"registry.test":{"auth":"${basic(value)}"}}}`,
  'docker auth, pretty': (value) =>
    `{\n  "auths": {\n    "registry.test": {\n      "auth": "${basic(value)}"\n    }\n  }\n}`,
  'Authorization: Basic': (value) => `Authorization: Basic ${basic(value)}\r\n`,
  'Proxy-Authorization': (value) => `Proxy-Authorization: Basic ${basic(value)}\r\n`,
  'npmrc _auth': (value) => `_auth=${basic(value)}\n`,
}

export function secretCorpus(seed: number): SecretCase[] {
  const next = seeded(seed)
  const cases: SecretCase[] = []
  const add = (
    form: string,
    name: string,
    kinds: Record<string, (random: Random) => string>,
    put: (value: string) => string,
  ) => {
    for (const [kind, make] of Object.entries(kinds)) {
      const secret = make(next)
      const text = put(secret)
      const shown = [
        secret,
        url(secret),
        basic(secret),
        secret.replaceAll('@', '-'),
        secret.replaceAll(/[@/]/g, '-'),
      ].find((spelling) => text.includes(spelling))!
      cases.push({ form, kind, name, text, secret: shown })
    }
  }
  for (const [form, put] of Object.entries(assignments)) {
    for (const name of passwordNames) add(form, name, { ...random, ...invented }, (value) => put(name, value))
    for (const name of secretNames) add(form, name, random, (value) => put(name, value))
  }
  for (const [form, put] of Object.entries(besides))
    for (const name of certainNames) add(form, name, random, (value) => put(name, value))
  for (const [form, put] of Object.entries(ofPasswords)) add(form, '', { ...random, ...invented }, put)
  for (const [form, put] of Object.entries(ofTokens)) add(form, '', random, put)
  for (const [form, put] of Object.entries(encodedPairs)) add(form, '', { ...random, ...invented }, put)
  return cases
}

/** The case inside a line of a transcript, as the output of a tool. */
export function inTranscript({ text }: SecretCase): string {
  const content = [{ type: 'tool_result', tool_use_id: 'toolu_01', content: text }]
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
}
