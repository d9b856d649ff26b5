// What people call the things that hold a secret.
export const passwordNames = ['password', 'passwd', 'passphrase', 'pwd']
export const secretNames = [
  'api_key',
  'api-key',
  'apikey',
  'secret_key',
  'secret-key',
  'secretkey',
  'secret',
  'token',
  'access_key',
  'accesskey',
]
