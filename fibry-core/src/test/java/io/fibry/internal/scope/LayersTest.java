package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fibry.internal.actor.Layer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LayersTest {
    private static final Pattern ROW =
            Pattern.compile("^\\| layer: [^|]+\\| `(\\w+)` \\|", Pattern.MULTILINE);

    /** A layer that is not in the list would be silently left out. */
    @Test
    void eachLayerIsInTheList() {
        var all = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.fibry.internal").stream()
                .filter(type -> type.isAssignableTo(Layer.class) && !type.isInterface())
                .map(JavaClass::getName);
        assertThat(all).containsExactlyInAnyOrderElementsOf(
                Stream.concat(Layers.FROM_THE_HANDLER.stream(), Layers.BESIDE_THE_HANDLER.stream())
                        .<String>map(Class::getName).toList());
    }

    @Test
    void thePageHasThemFromTheOutsideToTheInside() throws Exception {
        var page = Files.readString(Path.of("..", "docs", "architecture.md"));
        assertThat(ROW.matcher(page).results().map(row -> row.group(1))).containsExactlyElementsOf(
                Layers.FROM_THE_HANDLER.reversed().stream()
                        .map(type -> Optional.<Class<?>>ofNullable(type.getEnclosingClass()).orElse(type)
                                .getSimpleName())
                        .toList());
    }
}
