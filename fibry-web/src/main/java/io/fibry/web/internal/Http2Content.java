package io.fibry.web.internal;

import io.fibry.internal.net.BlockInput;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.Supplier;

/** The content of a request of HTTP/2. Helidon refuses more than was announced, and takes less for the whole. */
final class Http2Content extends BlockInput {
    private final InputStream in;
    private final Supplier<Optional<String>> flaw;
    private long left;

    /**
     * Makes the content.
     *
     * @param in Helidon's stream
     * @param announced the length that the client has announced; zero if it has announced none
     * @param flaw returns at the end of the content why it is not well formed
     */
    Http2Content(InputStream in, long announced, Supplier<Optional<String>> flaw) {
        this.in = in;
        this.flaw = flaw;
        left = announced;
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        var count = in.read(bytes, offset, length);
        if (count >= 0) {
            left -= count;
            return count;
        }
        var why = flaw.get();
        if (why.isPresent() || left > 0) {
            throw new HttpProblem(400, why.orElse("the content is shorter than its Content-Length"));
        }
        return -1;
    }
}
