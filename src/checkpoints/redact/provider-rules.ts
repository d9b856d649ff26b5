// Tokens that say whose they are by their first characters; in addition to the generated ones.
import { looksRandom } from './credential-shape.ts'
import type { Rule } from './rule.ts'

const word = '[A-Za-z0-9_-]'
const alnum = '[A-Za-z0-9]'
const hex = '[a-f0-9]'
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`

/**
 * Who issues it, how it starts, what follows. Lengths are lower bounds where the issuer does not promise one; what must be
 * followed by something else has an upper bound, or a text full of beginnings would take quadratic time.
 */
const prefixes: readonly (readonly [id: string, starts: readonly string[], rest: string])[] = [
  ['adafruit', ['aio_'], `${alnum}{28}`],
  ['age', ['AGE-SECRET-KEY-1'], '[0-9A-Z]{58}'],
  ['alibaba', ['LTAI'], `${alnum}{17,21}(?!${alnum})`],
  ['anthropic', ['sk-ant-'], `${word}{20,}`],
  ['artifactory', ['AKCp'], `${alnum}{69,}`],
  ['atlassian', ['ATATT3', 'ATCTT3'], '[A-Za-z0-9_=-]{100,}'],
  ['aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], '[A-Z2-7]{16}(?![A-Z0-9])'],
  ['aws-bedrock', ['ABSK'], '[A-Za-z0-9+/]{100,}={0,2}'],
  ['bitbucket', ['ATBB'], `${alnum}{32}`],
  ['brevo', ['xkeysib-', 'xsmtpsib-'], `${hex}{64}-${alnum}{16}`],
  ['clojars', ['CLOJARS_'], `${alnum}{60}`],
  ['cloudflare-origin', ['v1.0-'], `${hex}{24}-${hex}{146}`],
  ['contentful', ['CFPAT-'], `${word}{40,}`],
  ['crates', ['cio'], `${alnum}{32}(?!${alnum})`],
  ['databricks', ['dapi', 'dose', 'dkea'], `${hex}{32}(?:-\\d)?(?!${alnum})`],
  ['defined', ['dnkey-'], `${word}{26}-${word}{52}`],
  ['digitalocean', ['dop_v1_', 'doo_v1_', 'dor_v1_'], `${hex}{64}`],
  ['discord-webhook', ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'], `\\d{15,22}/${word}{40,}`],
  ['docker', ['dckr_pat_', 'dckr_oat_'], `${word}{20,}`],
  ['doppler', ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'], '[A-Za-z0-9_.]{40,}'],
  ['dropbox', ['sl.'], `${word}{100,}`],
  ['duffel', ['duffel_live_', 'duffel_test_'], `${word}{43}`],
  ['dynatrace', ['dt0c01.', 'dt0s16.', 'dt0s02.'], '[A-Z0-9]{8,24}\\.[A-Z0-9]{64}'],
  ['easypost', ['EZAK', 'EZTK'], `${alnum}{54}`],
  ['facebook', ['EAAM', 'EAAC', 'EAAB', 'EAAG'], `${alnum}{80,}`],
  ['figma', ['figd_', 'figo_', 'figor_'], `${word}{30,}`],
  ['firecrawl', ['fc-'], `${hex}{32}(?!${alnum})`],
  ['flutterwave', ['FLWSECK-', 'FLWSECK_TEST-'], `${alnum}{12,}`],
  ['fly', ['fo1_', 'fm1_', 'fm2_', 'fm1a_', 'fm1r_'], '[A-Za-z0-9+/=_-]{40,}'],
  ['frameio', ['fio-u-'], `${word}{64}`],
  ['gcp-api-key', ['AIza'], `${word}{35}(?!${word})`],
  ['gcp-oauth-client', ['GOCSPX-'], `${word}{28}`],
  ['gcp-oauth-token', ['ya29.'], `${word}{30,}`],
  ['github', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `${alnum}{36,}`],
  ['github-fine-grained', ['github_pat_'], '[A-Za-z0-9_]{60,}'],
  [
    'gitlab',
    ['glpat-', 'glptt-', 'gldt-', 'glrt-', 'glcbt-', 'glft-', 'glimt-', 'glagent-', 'gloas-', 'glsoat-', 'glffct-', 'GR1348941'],
    `${word}{20,}`,
  ],
  ['grafana-api', ['eyJrIjoi'], `${alnum}{70,400}={0,3}`],
  ['heroku', ['HRKU-'], `(?:AA${word}{58}|${uuid})`],
  ['hubspot', ['pat-na1-', 'pat-na2-', 'pat-eu1-'], uuid],
  ['huggingface', ['hf_', 'api_org_'], `${alnum}{30,}`],
  ['infracost', ['ico-'], `${alnum}{32}(?!${alnum})`],
  ['jwt', ['eyJ'], `${word}{10,4000}\\.eyJ${word}{10,}(?:\\.${word}*)?`],
  ['langfuse', ['sk-lf-'], uuid],
  ['langsmith', ['lsv2_pt_', 'lsv2_sk_'], `${hex}{32}_${hex}{10}`],
  ['launchdarkly', ['sdk-', 'api-', 'mob-'], uuid],
  ['linear', ['lin_api_', 'lin_oauth_'], `${alnum}{32,}`],
  ['mailgun', ['key-', 'pubkey-'], `${hex}{32}(?!${alnum})`],
  ['mapbox', ['sk.eyJ'], `${word}{20,400}\\.${word}{20,}`],
  ['neon', ['napi_'], `${alnum}{40,}`],
  ['netlify', ['nfp_'], `${alnum}{36,}`],
  ['new-relic', ['NRAK-', 'NRJS-', 'NRII-', 'NRAA-', 'NRRA-'], `${word}{19,}`],
  ['notion', ['ntn_', 'secret_'], `${alnum}{40,}`],
  ['npm', ['npm_'], `${alnum}{36,}`],
  ['nuget', ['oy2'], `[a-z0-9]{43}(?!${alnum})`],
  ['octopus', ['API-'], `[A-Z0-9]{26}(?!${alnum})`],
  ['onepassword-secret-key', ['A3-'], '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}'],
  ['openrouter', ['sk-or-v1-'], `${hex}{64}`],
  ['openshift', ['sha256~'], `${word}{43}`],
  ['perplexity', ['pplx-'], `${alnum}{40,}`],
  ['pinecone', ['pcsk_'], `${word}{40,}`],
  ['planetscale', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], '[A-Za-z0-9_=.-]{32,}'],
  ['posthog', ['phx_', 'phs_'], `${alnum}{40,}`],
  ['postman', ['PMAK-'], `${hex}{24}-${hex}{34}`],
  ['prefect', ['pnu_', 'pnb_'], `${alnum}{36}`],
  ['pulumi', ['pul-'], `${hex}{40}(?!${alnum})`],
  ['pypi', ['pypi-'], `AgE${word}{50,}`],
  ['readme', ['rdme_'], '[a-z0-9]{70}'],
  ['render', ['rnd_'], `${alnum}{28,}`],
  ['replicate', ['r8_'], `${alnum}{37,}`],
  ['rubygems', ['rubygems_'], `${hex}{48}`],
  ['scalingo', ['tk-us-'], `${word}{48}`],
  ['sendgrid', ['SG.'], `${word}{16,64}\\.${word}{32,}`],
  ['sentry', ['sntrys_', 'sntryu_'], '[A-Za-z0-9+/=_]{60,}'],
  ['shippo', ['shippo_live_', 'shippo_test_'], `${hex}{40}`],
  ['shopify', ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_'], `${hex}{32}`],
  ['slack', ['xoxb-', 'xoxp-', 'xoxa-', 'xoxe-', 'xoxs-', 'xoxr-', 'xoxo-', 'xapp-', 'xoxe.xoxp-', 'xoxe.xoxb-'], `${word}{20,}`],
  ['slack-webhook', ['hooks.slack.com/'], '(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,}'],
  ['sourcegraph', ['sgp_'], `(?:[a-f0-9]{16}_|local_)?${hex}{40}`],
  ['square', ['sq0atp-', 'sq0csp-'], `${word}{22,}`],
  ['square-token', ['EAAA'], `${word}{56,}`],
  ['stripe', ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], `${alnum}{20,}`],
  ['stripe-webhook', ['whsec_'], '[A-Za-z0-9+/=]{24,}'],
  ['supabase-secret', ['sb_secret_'], `${word}{20,}`],
  ['supabase-token', ['sbp_'], '[a-z0-9_-]{20,}'],
  ['tavily', ['tvly-'], `${word}{28,}`],
  ['teams-webhook', ['webhook.office.com/webhookb2/'], `${uuid}@${uuid}/IncomingWebhook/${alnum}{32}/${uuid}`],
  ['twilio', ['SK'], `${hex}{32}(?!${alnum})`],
  ['typeform', ['tfp_'], '[A-Za-z0-9_.=-]{50,}'],
  ['vault', ['hvs.', 'hvb.', 'hvr.'], `${word}{24,}`],
  ['xai', ['xai-'], `${alnum}{70,}`],
]

const byPrefix: Rule[] = prefixes.map(([id, starts, rest]) => ({
  id,
  keywords: starts,
  source: `(?:${starts.map((start) => start.replaceAll('.', '\\.')).join('|')})${rest}`,
  bounded: true,
}))

/** Issuers whose mark is not at the start, or is too short to be proof. */
const special: Rule[] = [
  { id: 'sk-dash', keywords: ['sk-'], source: `sk-${word}{20,}`, bounded: true, accept: looksRandom },
  { id: 'sk-underscore', keywords: ['sk_'], source: `sk_${hex}{48}(?!${alnum})`, bounded: true },
  { id: 'resend', keywords: ['re_'], source: `re_${alnum}{8}_${alnum}{16,}`, bounded: true },
  { id: 'azure-client-secret', keywords: ['Q~'], lead: 4, source: `[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}` },
  { id: 'mailchimp', keywords: ['-us'], lead: 32, source: `${hex}{32}-us\\d{1,2}(?!${alnum})` },
  { id: 'terraform', keywords: ['.atlasv1.'], lead: 14, source: `${alnum}{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}` },
  { id: 'telegram', keywords: [':AA'], lead: 8, source: `\\d{8}:AA${word}{32,34}(?!${word})` },
]

export const providerRules: readonly Rule[] = [...byPrefix, ...special]
