package io.fibry.web;

/**
 * The limits of content with several parts. Options are immutable: each call returns other options. The limit of the
 * whole content is that of the server, {@link io.fibry.net.HttpOptions#bodyBytes()}.
 *
 * @param parts how many parts there may be; one more is answered with 413
 * @param partBytes how long a part may be; a longer one is answered with 413
 */
public record MultipartOptions(int parts, long partBytes) {
    private static final MultipartOptions STANDARD = new MultipartOptions(100, Long.MAX_VALUE);

    /**
     * Checks the numbers.
     *
     * @param parts at least one
     * @param partBytes not negative
     */
    public MultipartOptions {
        Positive.require(parts, "parts");
        if (partBytes < 0) {
            throw new IllegalArgumentException("partBytes must not be negative: " + partBytes);
        }
    }

    /**
     * Returns the standard options: 100 parts, with as much content as the server takes in all.
     *
     * @return the options
     */
    public static MultipartOptions standard() {
        return STANDARD;
    }

    /**
     * Returns the same options with another number of parts.
     *
     * @param most how many parts there may be, at least one
     * @return the new options
     */
    public MultipartOptions parts(int most) {
        return new MultipartOptions(most, partBytes);
    }

    /**
     * Returns the same options with another length of parts.
     *
     * @param most how many bytes a part may have
     * @return the new options
     */
    public MultipartOptions partBytes(long most) {
        return new MultipartOptions(parts, most);
    }
}
