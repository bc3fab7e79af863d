package io.fibry.web;

import io.fibry.net.HttpParameters;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A form that has been read into memory.
 *
 * @param fields the fields that are no files
 * @param files the files, in the order in which they were sent
 */
public record MultipartForm(HttpParameters fields, List<MultipartFile> files) {
    /**
     * Copies the list.
     *
     * @param fields not null
     * @param files not null
     */
    public MultipartForm {
        Objects.requireNonNull(fields, "fields");
        files = List.copyOf(files);
    }

    /**
     * Returns the first file of a field.
     *
     * @param name the name of the field
     * @return the file
     */
    public Optional<MultipartFile> file(String name) {
        return files.stream().filter(file -> file.name().equals(name)).findFirst();
    }
}
