package io.fibry.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Writes and reads results as JSON, including each single sample. */
public final class JsonFile {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();

    private JsonFile() {
    }

    /**
     * Turns results into text.
     *
     * @param results the results
     * @return the text
     */
    public static String asText(Results results) {
        try {
            return MAPPER.writeValueAsString(results) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("cannot be written as JSON: " + results, e);
        }
    }

    /**
     * Reads results that were written before.
     *
     * @param file the file
     * @return the results
     * @throws IOException if the file is wrong; the message tells the user what is wrong
     */
    public static Results read(Path file) throws IOException {
        try {
            return MAPPER.readValue(Files.readString(file), Results.class);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        } catch (JsonProcessingException e) {
            throw new IOException(file + " has no results of this program: " + e.getOriginalMessage(), e);
        }
    }
}
