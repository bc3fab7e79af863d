package io.fibry.codec;

import java.io.OutputStream;
import java.util.Arrays;

/** Bytes in memory, up to a limit. */
final class BoundedBytes extends OutputStream {
    private final int largest;
    private byte[] bytes;
    private int count;

    BoundedBytes(int largest) {
        this.largest = largest;
        this.bytes = new byte[Math.min(largest, 256)];
    }

    @Override
    public void write(int b) {
        reserve(1);
        bytes[count++] = (byte) b;
    }

    @Override
    public void write(byte[] source, int from, int length) {
        reserve(length);
        System.arraycopy(source, from, bytes, count, length);
        count += length;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(bytes, count);
    }

    private void reserve(int more) {
        if (more > largest - count) {
            throw new Fault(
                    "it takes more than " + largest + " bytes: send less, or set CodecOptions.largest");
        }
        if (more > bytes.length - count) {
            bytes = Arrays.copyOf(bytes,
                    (int) Math.min(largest, Math.max(2L * bytes.length, (long) count + more)));
        }
    }
}
