const FOLDERS = /(^|\/)(tests?|testing|_?vendor(ed)?|third_?party|extern(al)?|generated|build|benchmarks?)\//;
const FILES = /(^|\/)(test_[^/]*|[^/]*_test|conftest|[^/]*_pb2(_grpc)?|_version|versioneer)\.py$/;

/** Is the file a test, vendored or generated, by where it is and what it is called? */
export function isBesideThePoint(path: string): boolean {
  return FOLDERS.test(path) || FILES.test(path);
}
