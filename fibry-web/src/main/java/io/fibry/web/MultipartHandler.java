package io.fibry.web;

/** Handles the parts of a form. */
@FunctionalInterface
public interface MultipartHandler {
    /**
     * Called for each part, in the order in which the client sends them. What is not read of a part is skipped.
     *
     * @param part the part, which can be used until this method returns
     * @throws Exception if the part cannot be handled; the rest of the form is not read
     */
    void handle(MultipartPart part) throws Exception;
}
