// Writes what a program's GPU did, by CUPTI: for each kernel and copy its name's number, stream, begin and end in
// nanoseconds to $KERNELS.bin, the names to $KERNELS.names. CUDA loads it into any program:
//
//	c++ -O2 -shared -fPIC -I$CUDA/include -I$CUDA/extras/CUPTI/include kernels.cc -o kernels.so -l:libcupti.so
//	KERNELS=/tmp/k CUDA_INJECTION64_PATH=$PWD/kernels.so program …
#include <cupti.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

static FILE *records, *names;
static std::unordered_map<std::string, int32_t> numbers;
static std::mutex lock;

struct Record {
  int32_t name, stream;
  uint64_t begin, end;
};

template <class Activity>
static void add(const std::string &name, const Activity *a) {
  auto known = numbers.find(name);
  if (known == numbers.end()) {
    known = numbers.emplace(name, int32_t(numbers.size())).first;
    fprintf(names, "%s\n", name.c_str());
    fflush(names);
  }
  Record r{known->second, int32_t(a->streamId), a->start, a->end};
  fwrite(&r, sizeof r, 1, records);
}

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *most) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t *>(aligned_alloc(8, *size));
  *most = 0;
}

static void CUPTIAPI take(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  std::lock_guard<std::mutex> guard(lock);
  for (CUpti_Activity *a = nullptr; cuptiActivityGetNextRecord(buffer, valid, &a) == CUPTI_SUCCESS;) {
    if (a->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      auto k = reinterpret_cast<CUpti_ActivityKernel10 *>(a);
      add(k->name ? k->name : "?", k);
    } else if (a->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      auto m = reinterpret_cast<CUpti_ActivityMemcpy6 *>(a);
      const char *kind = m->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "copy to the GPU"
                         : m->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "copy from the GPU"
                                                                          : "copy";
      add(kind, m);
    } else if (a->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      add("memset", reinterpret_cast<CUpti_ActivityMemset4 *>(a));
    }
  }
  fflush(records); // the program may end without a word
  free(buffer);
}

extern "C" int InitializeInjection() {
  const char *to = getenv("KERNELS");
  if (!to) return 1;
  records = fopen((std::string(to) + ".bin").c_str(), "wb");
  names = fopen((std::string(to) + ".names").c_str(), "w");
  if (!records || !names) return 0;
  cuptiActivityRegisterCallbacks(give, take);
  for (auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    cuptiActivityEnable(kind);
  cuptiActivityFlushPeriod(500);
  return 1;
}
