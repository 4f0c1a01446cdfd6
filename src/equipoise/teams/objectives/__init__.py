"""The objectives by name, a file each; :data:`equipoise.core.registry.OBJECTIVES` lists them."""
