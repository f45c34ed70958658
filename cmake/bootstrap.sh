# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Shared by ./run, ./test and .ci/run: Debian packages and the release build. Expects $root, the source folder.

# Exit status when the machine cannot be set up or the build fails; 0 to 4 belong to the programs.
readonly setup_failed=5

readonly build_packages=(
    build-essential cmake ninja-build mold
    qt6-base-dev qt6-svg-dev qt6-tools-dev qt6-l10n-tools libqcustomplot-dev libgl1-mesa-dev
    libeigen3-dev nlohmann-json3-dev libhwy-dev zlib1g-dev
    fonts-dejavu-core fonts-noto-cjk
)
readonly test_packages=(xvfb python3 python3-numpy)
readonly ci_packages=(libbenchmark-dev libopenblas-dev clang-format-14)

packages_installed=no

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit "$setup_failed"
}

# ensure_packages NAME...: installs what is missing, or names it and stops.
ensure_packages() {
    if ! command -v dpkg-query >/dev/null; then
        command -v cmake >/dev/null || fail "not a Debian system and no cmake: install the counterparts of $*"
        return 0
    fi
    local missing=() package
    for package in "$@"; do
        [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    local as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            fail "missing Debian packages; install them with: sudo apt-get install ${missing[*]}"
        fi
        as_root=(sudo -n)
    fi
    printf 'Installing %s\n' "${missing[*]}" >&2
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
    # Lists may be absent or old; when they cannot be fetched the packages may still be in the cache.
    "${apt[@]}" update >&2 || true
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2 ||
        fail "apt-get could not install: ${missing[*]}"
    packages_installed=yes
}

# build_release [-D... for cmake] -- [TARGET...]: configures build/release where needed and builds.
build_release() {
    local definitions=() targets=() cache="$root/build/release/CMakeCache.txt"
    local stamp="$root/build/release/.configured"
    while (($#)) && [[ "$1" != -- ]]; do
        definitions+=("$1")
        shift
    done
    shift
    (($#)) && targets=(--target "$@")

    local fresh=()
    if [[ -f "$cache" ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
        fresh=(--fresh) # the folder was copied or moved
    fi
    # CMake itself notices changes of the CMakeLists.txt, but not of the presets, nor of what is installed.
    if ((${#fresh[@]} || ${#definitions[@]})) || [[ "$packages_installed" == yes ]] ||
        [[ ! -f "$root/build/release/build.ninja" || "$root/CMakePresets.json" -nt "$stamp" ]]; then
        (cd "$root" && cmake --preset release "${fresh[@]}" "${definitions[@]}") >&2 || fail "cmake could not configure $root"
        touch "$stamp"
    fi
    (cd "$root" && cmake --build --preset release -j "$(nproc)" "${targets[@]}") >&2 || fail "the build failed"
}
