// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace cubist::test {

/// A version 1 file made by hand: dictionary padded by one line feed only.
inline QByteArray npyFile(const QByteArray& dictionary, const QByteArray& data) {
    QByteArray file("\x93NUMPY\x01\x00", 8);
    const auto length = static_cast<unsigned>(dictionary.size() + 1);
    file += static_cast<char>(length & 0xFFU);
    file += static_cast<char>(length >> 8U);
    return file + dictionary + "\n" + data;
}

/// The dictionary of a header, as numpy writes it.
inline QByteArray dictionary(const QByteArray& descr, const QByteArray& shape, bool fortran = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
           ", }";
}

/// The elements one after the other, little endian unless told.
template <class T>
QByteArray bytes(std::initializer_list<T> values, bool bigEndian = false) {
    QByteArray data;
    for (const T value : values) {
        QByteArray element(sizeof(T), '\0');
        std::memcpy(element.data(), &value, sizeof(T));
        if (bigEndian) std::reverse(element.begin(), element.end());
        data += element;
    }
    return data;
}

}  // namespace cubist::test
