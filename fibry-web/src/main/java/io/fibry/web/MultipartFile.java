package io.fibry.web;

import java.util.Optional;

/** A file of a form that has been read into memory. */
public final class MultipartFile {
    private final String name;
    private final Optional<String> fileName;
    private final String contentType;
    private final byte[] bytes;

    MultipartFile(MultipartPart part, byte[] bytes) {
        name = part.name();
        fileName = part.fileName();
        contentType = part.contentType();
        this.bytes = bytes;
    }

    /**
     * Returns the name of the field.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the name of the file; see {@link MultipartPart#fileName()}.
     *
     * @return the name
     */
    public Optional<String> fileName() {
        return fileName;
    }

    /**
     * Returns the type of the content, as the client states it.
     *
     * @return the type
     */
    public String contentType() {
        return contentType;
    }

    /**
     * Returns the content.
     *
     * @return the bytes themselves, not a copy
     */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return "MultipartFile[" + name + ", " + bytes.length + " bytes]";
    }
}
