package io.fibry.web.internal;

import io.fibry.web.internal.HeaderTable.Field;
import io.helidon.common.buffers.BufferData;
import io.helidon.http.http2.Http2ErrorCode;
import io.helidon.http.http2.Http2Exception;
import io.helidon.http.http2.Http2HuffmanDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Header blocks of HTTP/2 (RFC 7541). This class reads those of a client and writes them anew without references to a
 * table. The table of Helidon 4.3.1 loops for ever if a client makes it empty, and refuses fields that do not fit
 * beside others. A reader that gets no references needs no table.
 */
final class HeaderBlock {
    private static final int INDEXED = 0x80;
    private static final int INDEXED_BITS = 7;
    private static final int ADDED = 0x40;
    private static final int ADDED_BITS = 6;
    private static final int RESIZED = 0x20;
    private static final int RESIZED_BITS = 5;
    private static final int OTHER_BITS = 4;
    private static final int HUFFMAN = 0x80;
    private static final int STRING_BITS = 7;
    private static final int MOST_BITS = 28;
    private static final List<String> PSEUDO =
            List.of(":authority", ":method", "", ":path", "", ":scheme", "", ":status");

    private final HeaderTable table = new HeaderTable();
    private final Http2HuffmanDecoder huffman = Http2HuffmanDecoder.create();
    private final int mostBytes;
    private byte[] in = {};
    private int at;

    /** Makes a reader of blocks whose fields have at most this length in all. */
    HeaderBlock(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Returns a block with these fields, each with its name and value. */
    static byte[] plain(List<Field> fields) {
        var out = new ByteArrayOutputStream();
        for (var field : fields) {
            var number = PSEUDO.indexOf(field.name()) + 1;
            out.write(field.name().isEmpty() ? 0 : number);
            if (number == 0 || field.name().isEmpty()) {
                string(out, field.name());
            }
            // Helidon would ask for the content itself, even too late. It knows only small letters.
            string(out,
                    field.name().equals("expect") ? field.value().toUpperCase(Locale.ROOT) : field.value());
        }
        return out.toByteArray();
    }

    /** Returns the fields of a block. */
    List<Field> fields(byte[] block) {
        in = block;
        at = 0;
        var fields = new ArrayList<Field>();
        var bytes = 0L;
        while (at < in.length) {
            var first = in[at] & 0xFF;
            if ((first & (INDEXED | ADDED | RESIZED)) == RESIZED) {
                if (!fields.isEmpty()) {
                    throw broken("the table is resized after a field");
                }
                var size = number(RESIZED_BITS);
                if (size > HeaderTable.STANDARD_SIZE) {
                    throw broken("the table is made larger than it may be");
                }
                table.resize(size);
            } else {
                var field = field(first);
                bytes += field.size();
                if (bytes > mostBytes) {
                    throw new Http2Exception(Http2ErrorCode.ENHANCE_YOUR_CALM, "the headers are too long");
                }
                fields.add(field);
            }
        }
        return fields;
    }

    private Field field(int first) {
        if ((first & INDEXED) != 0) {
            return known(number(INDEXED_BITS));
        }
        var added = (first & ADDED) != 0;
        var number = number(added ? ADDED_BITS : OTHER_BITS);
        var name = number == 0 ? string() : known(number).name();
        var field = new Field(name, string());
        if (added) {
            table.add(field);
        }
        return field;
    }

    private Field known(int number) {
        return table.field(number).orElseThrow(() -> broken("there is no field " + number));
    }

    /** Reads an integer whose first byte has the given number of bits of it (RFC 7541, 5.1). */
    private int number(int bits) {
        var most = (1 << bits) - 1;
        var number = next() & most;
        if (number < most) {
            return number;
        }
        for (var shift = 0; shift < MOST_BITS; shift += 7) {
            var more = next();
            number += (more & 0x7F) << shift;
            if (number < 0) {
                break;
            }
            if ((more & 0x80) == 0) {
                return number;
            }
        }
        throw broken("a number is too large");
    }

    private int next() {
        if (at == in.length) {
            throw broken("the block ends in the middle of a field");
        }
        return in[at++] & 0xFF;
    }

    private String string() {
        if (at == in.length) {
            throw broken("the block ends in the middle of a field");
        }
        var isHuffman = (in[at] & HUFFMAN) != 0;
        var length = number(STRING_BITS);
        if (length > in.length - at) {
            throw broken("a string is longer than the block");
        }
        var from = at;
        at += length;
        if (!isHuffman) {
            return new String(in, from, length, StandardCharsets.ISO_8859_1);
        }
        return huffman.decodeString(BufferData.create(java.util.Arrays.copyOfRange(in, from, at)), length);
    }

    /** Writes a string without the code of Huffman (RFC 7541, 5.2). */
    static void string(ByteArrayOutputStream out, String text) {
        var bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        var most = (1 << STRING_BITS) - 1;
        if (bytes.length < most) {
            out.write(bytes.length);
        } else {
            out.write(most);
            var left = bytes.length - most;
            while (left >= 0x80) {
                out.write((left & 0x7F) | 0x80);
                left >>= 7;
            }
            out.write(left);
        }
        out.writeBytes(bytes);
    }

    private static Http2Exception broken(String how) {
        return new Http2Exception(Http2ErrorCode.COMPRESSION, how);
    }
}
