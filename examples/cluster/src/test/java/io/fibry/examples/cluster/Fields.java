package io.fibry.examples.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.Yaml;

/**
 * A part of a file of YAML.
 *
 * @param path where it is in the file
 * @param value a map, a list or a scalar
 */
record Fields(String path, Object value) {
    /** Returns the objects of Kubernetes that a file has. */
    static List<Fields> read(Path file) throws IOException {
        return StreamSupport.stream(new Yaml().loadAll(Files.readString(file)).spliterator(), false)
                .map(each -> new Fields("", each)).map(each -> new Fields(each.at("kind").text(), each.value))
                .toList();
    }

    static Fields object(List<Fields> objects, String kind) {
        return objects.stream().filter(each -> each.path.equals(kind)).findFirst()
                .orElseThrow(() -> new AssertionError("there is no " + kind));
    }

    Map<?, ?> map() {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new AssertionError(path + " has no fields: " + value);
    }

    Optional<Fields> find(String name) {
        return Optional.ofNullable(map().get(name)).map(each -> new Fields(path + "." + name, each));
    }

    Fields at(String... names) {
        var found = this;
        for (var each : names) {
            var in = found;
            found = found.find(each).orElseThrow(() -> new AssertionError(in.path + " has no " + each));
        }
        return found;
    }

    List<Fields> list() {
        if (value instanceof List<?> list) {
            return list.stream().map(each -> new Fields(path, each)).toList();
        }
        throw new AssertionError(path + " is no list: " + value);
    }

    /** Returns the element of a list that has a name. */
    Fields named(String name) {
        return list().stream().filter(each -> each.at("name").value.equals(name)).findFirst()
                .orElseThrow(() -> new AssertionError(path + " has no element " + name));
    }

    String text() {
        return value.toString();
    }

    int number() {
        if (value instanceof Integer number) {
            return number;
        }
        throw new AssertionError(path + " is no number: " + value);
    }

    int number(String name, int otherwise) {
        return find(name).map(Fields::number).orElse(otherwise);
    }
}
